#include "sql/query.h"

#include <algorithm>

#include "sql/job_reader.h"
#include "sql/result_table.h"
#include "sql/session.h"
#include "sql/table_scan.h"
#include "sql/trace_scan.h"

namespace rankscope::sql {
namespace {

Status RegisterAnalyses(Session& session, JobReader& reader,
                        std::span<const Analysis* const> analyses) {
  RS_RETURN_IF_ERROR(session.ExecuteAll("CREATE SCHEMA analysis"));
  for (const Analysis* analysis : analyses) {
    const std::string function = "analyse_" + analysis->name;
    RS_RETURN_IF_ERROR(RegisterTable(session, function, analysis->columns,
                                     [&reader, analysis] { return reader.TableOf(*analysis); }));
    RS_RETURN_IF_ERROR(session.CreateView("analysis", analysis->name,
                                          fmt::format(R"(SELECT * FROM "{}"())", function)));
  }
  return session.ExecuteAll("SET search_path = 'main,analysis'");
}

}  // namespace

Result<Table> RunQuery(Job& job, const std::string& sql, const QueryOptions& options) {
  const int threads = std::max(options.threads > 0 ? options.threads : job.options().threads, 1);
  JobReader reader(job, static_cast<std::size_t>(threads) + 1);
  RS_ASSIGN_OR_RETURN(const auto session, Session::Open({options.memory_bytes, options.spill_folder,
                                                         threads, options.allow_files}));
  RS_RETURN_IF_ERROR(RegisterTraceViews(*session, reader));
  RS_RETURN_IF_ERROR(RegisterAnalyses(*session, reader, options.analyses));
  RS_RETURN_IF_ERROR(session->LockSettings());
  RS_ASSIGN_OR_RETURN(const auto rows, session->Execute(sql));
  return ReadTable(*rows, "query");
}

}  // namespace rankscope::sql
