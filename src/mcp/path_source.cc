#include "mcp/path_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/compare_jobs.h"
#include "app/files_state.h"
#include "app/fix_job.h"
#include "app/make_table.h"
#include "app/report_of.h"
#include "app/report_requests.h"
#include "app/sql_session.h"
#include "app/what_if.h"
#include "base/number_set.h"
#include "mcp/explain.h"
#include "mcp/fix_results.h"
#include "mcp/report_results.h"
#include "mcp/rows.h"
#include "report/documents/markdown_report.h"
#include "table/filter_rows.h"
#include "table/select_rows.h"

namespace rankscope::mcp {
namespace {

constexpr std::uint64_t kSqlMemoryBytes = std::uint64_t{1} << 30;

Result<FoundRows> Chosen(Table table, const TableArguments& arguments) {
  std::vector<Condition> conditions;
  for (const std::string& text : arguments.filter) {
    RS_ASSIGN_OR_RETURN(Condition condition, ParseCondition(text));
    conditions.push_back(std::move(condition));
  }
  RS_ASSIGN_OR_RETURN(Table filtered, FilterRows(std::move(table), conditions));
  const std::uint64_t row_count = filtered.row_count();
  RS_ASSIGN_OR_RETURN(Table rows, SelectRows(std::move(filtered),
                                             {.columns = arguments.columns,
                                              .sort = arguments.sort,
                                              .limit = static_cast<std::size_t>(arguments.limit)}));
  return FoundRows{.table = std::move(rows), .row_count = row_count};
}

FoundRows FirstOf(Table table, std::int64_t limit) {
  const std::uint64_t row_count = table.row_count();
  table.Truncate(static_cast<std::size_t>(limit));
  return {.table = std::move(table), .row_count = row_count};
}

// Keeps the first rows of those that come, and counts the others.
class FirstRows {
 public:
  explicit FirstRows(std::int64_t limit) : limit_(static_cast<std::size_t>(limit)) {}

  Status Take(const Table& rows) {
    found_.row_count += rows.row_count();
    if (found_.table.column_count() == 0) found_.table = Table("rows", rows.columns());
    if (found_.table.row_count() < limit_) found_.table.Append(rows);
    found_.table.Truncate(limit_);
    return OkStatus();
  }
  FoundRows Finish() { return std::move(found_); }

 private:
  const std::size_t limit_;
  FoundRows found_;
};

}  // namespace

// The job tells a listener, and may be stopped by it, for as long as this lives.
class PathSource::Listening {
 public:
  Listening(app::OpenedJob& job, app::Listener& listener) : job_(job) { job.ListenWith(&listener); }
  ~Listening() { job_.ListenWith(nullptr); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  app::OpenedJob& job_;
};

PathSource::PathSource(app::JobSpec spec, ServedFolders folders)
    : spec_(std::move(spec)), folders_(std::move(folders)) {}

Result<app::OpenedJob*> PathSource::Open(app::Listener& listener) {
  std::string state = app::StateOfFiles(spec_.paths);
  if (job_ == nullptr || state != state_) {
    job_.reset();
    RS_ASSIGN_OR_RETURN(job_, app::OpenJob(spec_, app::SummaryRequests(), listener));
    state_ = std::move(state);
  }
  return job_.get();
}

Result<FindingsResult> PathSource::Findings(app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  RS_ASSIGN_OR_RETURN(const auto report, app::ReportOf(*job, app::ReportUse::kText, listener));
  return FindingsOf(report);
}

Result<std::string> PathSource::Report(app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  RS_ASSIGN_OR_RETURN(const auto report, app::ReportOf(*job, app::ReportUse::kText, listener));
  return WriteMarkdownReport(report);
}

Result<Table> PathSource::Make(const TableArguments& arguments, app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const TableEntry* const entry, TableOfName(arguments.name));
  if (entry->subject == Subject::kPair)
    return Error(StatusCode::kInvalidArgument,
                 "{} compares two jobs: the tool diff gives it, with table = \"{}\"",
                 arguments.name, arguments.name);
  if (entry->subject == Subject::kEvents)
    return Error(StatusCode::kInvalidArgument,
                 "{} is a view of SQL: the tool query asks it, such as SELECT * FROM {} LIMIT 5",
                 arguments.name, arguments.name);
  const app::TableRequest request{.table = arguments.name,
                                  .settings = {arguments.set.begin(), arguments.set.end()}};
  // Tables that are made of other files than traces say so.
  if (entry->subject != Subject::kJob) return app::MakeTable(request, spec_, listener);
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  return app::MakeTable(request, *job, listener);
}

Result<RowsResult> PathSource::Rows(const TableArguments& arguments, app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(Table table, Make(arguments, listener));
  RS_ASSIGN_OR_RETURN(const FoundRows chosen, Chosen(std::move(table), arguments));
  return RowsResultOf(chosen);
}

Result<RowsResult> PathSource::Query(const QueryArguments& arguments, app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  RS_ASSIGN_OR_RETURN(
      const auto session,
      app::SqlSession::Open(*job, {.memory_bytes = kSqlMemoryBytes,
                                   .allow_files = false,
                                   .select_only = true,
                                   .is_stopped = [&] { return listener.IsStopped(); }}));
  FirstRows rows(arguments.limit);
  RS_RETURN_IF_ERROR(
      session->Stream(arguments.sql, [&](const Table& some) { return rows.Take(some); }));
  job->TellLeftOut(listener);
  return RowsResultOf(rows.Finish());
}

Result<RowsResult> PathSource::WhatIf(const WhatIfArguments& arguments, app::Listener& listener) {
  if (arguments.changes.empty())
    return Error(StatusCode::kInvalidArgument,
                 "say in changes what is otherwise, such as idealise:rank=3");
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  RS_ASSIGN_OR_RETURN(Table table, app::WhatIfOf(*job, arguments.changes, listener));
  return RowsResultOf(FirstOf(std::move(table), kMostRows));
}

Result<app::JobSpec> PathSource::SideOf(const std::string& path, const std::string& ranks) const {
  app::JobSpec side = spec_;
  if (!path.empty()) {
    RS_ASSIGN_OR_RETURN(const std::string allowed, folders_.Allowed(path));
    side.paths = {allowed};
    side.called = path;
  }
  if (!ranks.empty()) {
    RS_ASSIGN_OR_RETURN(side.ranks, ParseNumberSet(ranks));
    side.called += " --ranks " + ranks;
  }
  return side;
}

Result<FixResult> PathSource::Fix(const FixArguments& arguments, app::Listener& listener) {
  if (arguments.source.empty())
    return Error(StatusCode::kInvalidArgument,
                 "say in source where the program's Python code is: a folder");
  RS_ASSIGN_OR_RETURN(const std::string source, folders_.Allowed(arguments.source));
  RS_ASSIGN_OR_RETURN(app::OpenedJob* const job, Open(listener));
  const Listening listening(*job, listener);
  RS_ASSIGN_OR_RETURN(const auto report, app::ReportOf(*job, app::ReportUse::kText, listener));
  std::vector<std::string> ids;
  if (!arguments.id.empty()) ids.push_back(arguments.id);
  RS_ASSIGN_OR_RETURN(const app::SourceFix made, app::FixSource(report, source, ids));
  return FixResultOf(made.patches, made.nothing);
}

Result<DiffResult> PathSource::Diff(const DiffArguments& arguments, app::Listener& listener) {
  if (arguments.base.empty() && arguments.test.empty() && arguments.base_ranks.empty() &&
      arguments.test_ranks.empty())
    return Error(StatusCode::kInvalidArgument,
                 "say with what the job is compared: base, the path of another one, or base_ranks "
                 "and test_ranks, ranks of this one");
  if (!arguments.table.empty()) RS_RETURN_IF_ERROR(app::CheckDiffTable(arguments.table));
  RS_ASSIGN_OR_RETURN(const app::JobSpec base, SideOf(arguments.base, arguments.base_ranks));
  RS_ASSIGN_OR_RETURN(const app::JobSpec test, SideOf(arguments.test, arguments.test_ranks));
  const auto hta = app::IsHtaTable(arguments.table) ? app::HtaTables::kToo : app::HtaTables::kNot;
  RS_ASSIGN_OR_RETURN(DiffReport report, app::CompareJobs(base, test, hta, listener));
  DiffResult result = DiffOf(report);
  if (const Table* const table = report.Find(arguments.table))
    result.rows = RowsResultOf(FirstOf(*table, arguments.limit));
  return result;
}

}  // namespace rankscope::mcp
