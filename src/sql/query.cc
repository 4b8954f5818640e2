#include "sql/query.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/letter_case.h"
#include "sql/job_reader.h"
#include "sql/result_table.h"
#include "sql/session.h"
#include "sql/table_scan.h"
#include "sql/trace_scan.h"
#include "sql/trace_views.h"

namespace rankscope::sql {
namespace {

constexpr const char* kViewSchema = "main";
constexpr const char* kAnalysisSchema = "analysis";

int ThreadsOf(const Job& job, const QueryOptions& options) {
  return std::max(options.threads > 0 ? options.threads : job.options().threads, 1);
}

Status RegisterAnalyses(Session& session, JobReader& reader,
                        std::span<const Analysis* const> analyses) {
  RS_RETURN_IF_ERROR(session.ExecuteAll("CREATE SCHEMA analysis"));
  for (const Analysis* analysis : analyses) {
    const std::string function = "analyse_" + analysis->name;
    RS_RETURN_IF_ERROR(RegisterTable(session, function, analysis->columns,
                                     [&reader, analysis] { return reader.TableOf(*analysis); }));
    RS_RETURN_IF_ERROR(session.CreateView(kAnalysisSchema, analysis->name,
                                          fmt::format(R"(SELECT * FROM "{}"())", function)));
  }
  return session.ExecuteAll("SET search_path = 'main,analysis'");
}

// Whether the statements may look at the catalogue, where comments are.
bool MayReadCatalogue(std::string_view sql) {
  constexpr std::string_view kWords[] = {"comment", "duckdb_", "information_schema", "pg_"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return ContainsInEitherCase(sql, word); });
}

}  // namespace

std::span<const TableEntry> Views() {
  static const std::vector<std::vector<ColumnSpec>> kColumns = [] {
    std::vector<std::vector<ColumnSpec>> columns;
    for (const TraceView& view : TraceViews()) columns.push_back(ColumnsOf(view));
    return columns;
  }();
  static const std::vector<TableEntry> kViews = [] {
    std::vector<TableEntry> views;
    for (const TraceView& view : TraceViews()) {
      views.push_back(
          {.name = view.name,
           .summary = view.summary,
           .definition = view.definition,
           .example = fmt::format("rankscope query traces/ 'FROM {} LIMIT 10'", view.name),
           .subject = Subject::kEvents,
           .columns = kColumns[views.size()],
           .is_detail = view.source == ViewSource::kRows});
    }
    return views;
  }();
  return kViews;
}

struct JobDatabase::State {
  State(Job& job, const QueryOptions& options)
      : reader(job, static_cast<std::size_t>(ThreadsOf(job, options)) + 1),
        result_bytes(options.result_bytes > 0 ? options.result_bytes : options.memory_bytes),
        select_only(options.select_only),
        analyses(options.analyses) {}

  JobReader reader;
  // Comments take a fifth of a second to make, so they are made when a statement may read them.
  Status AddComments() {
    if (std::exchange(has_comments, true)) return OkStatus();
    for (const TableEntry& view : Views()) {
      RS_RETURN_IF_ERROR(session->Comment(kViewSchema, view.name, view.summary, view.columns));
    }
    for (const Analysis* analysis : analyses) {
      RS_RETURN_IF_ERROR(
          session->Comment(kAnalysisSchema, analysis->name, analysis->summary, analysis->columns));
    }
    return OkStatus();
  }
  Result<std::unique_ptr<Rows>> Execute(const std::string& sql) {
    if (MayReadCatalogue(sql)) RS_RETURN_IF_ERROR(AddComments());
    return select_only ? session->ExecuteSelect(sql) : session->Execute(sql);
  }

  std::uint64_t result_bytes;
  bool select_only;
  std::span<const Analysis* const> analyses;
  bool has_comments = false;
  std::unique_ptr<Session> session;  // closed before the reader that its views read
};

JobDatabase::JobDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
JobDatabase::~JobDatabase() = default;

Result<std::unique_ptr<JobDatabase>> JobDatabase::Open(Job& job, const QueryOptions& options) {
  auto state = std::make_unique<State>(job, options);
  RS_ASSIGN_OR_RETURN(state->session, Session::Open({options.memory_bytes, options.spill_folder,
                                                     ThreadsOf(job, options), options.allow_files,
                                                     options.cancelled}));
  RS_RETURN_IF_ERROR(RegisterTraceViews(*state->session, state->reader));
  RS_RETURN_IF_ERROR(RegisterAnalyses(*state->session, state->reader, options.analyses));
  RS_RETURN_IF_ERROR(state->session->LockSettings());
  return std::unique_ptr<JobDatabase>(new JobDatabase(std::move(state)));
}

Result<Table> JobDatabase::Run(const std::string& sql) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->Execute(sql));
  return ReadTable(*rows, kResultName, state_->result_bytes);
}

Status JobDatabase::Stream(const std::string& sql,
                           const std::function<Status(const Table&)>& take) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->Execute(sql));
  return StreamTables(*rows, kResultName, take);
}

Result<Table> RunQuery(Job& job, const std::string& sql, const QueryOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto database, JobDatabase::Open(job, options));
  return database->Run(sql);
}

}  // namespace rankscope::sql
