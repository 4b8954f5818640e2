#include "app/compare_jobs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "app/describe_job.h"
#include "app/requests.h"
#include "base/nearest_name.h"
#include "compare/compare.h"
#include "compare/hta_diff.h"
#include "compare/tables.h"
#include "schemas/captures.h"
#include "schemas/critical_path.h"
#include "schemas/findings.h"
#include "schemas/hta_diff.h"
#include "schemas/layout.h"
#include "schemas/steps.h"
#include "schemas/work.h"

namespace rankscope::app {
namespace {

// The tables of one job that a comparison takes, in the order of Requests.
constexpr std::string_view kNames[] = {
    Captures::kName, JobSteps::kName, StepTimes::kName,     TimeBreakdown::kName, StepWork::kName,
    Layout::kName,   Findings::kName, PathOverRanks::kName, ReplayFidelity::kName};

std::vector<TableRequest> Requests() {
  std::vector<TableRequest> requests;
  for (const std::string_view name : kNames) requests.push_back({.table = std::string(name)});
  return requests;
}

struct Side {
  OpenedJob* job = nullptr;
  Report report;  // with the tables
  std::optional<Table> work_of_ranks;

  JobTables Tables() const {
    return {.captures = report.Find(Captures::kName),
            .job_steps = report.Find(JobSteps::kName),
            .step_times = report.Find(StepTimes::kName),
            .time_breakdown = report.Find(TimeBreakdown::kName),
            .step_work = report.Find(StepWork::kName),
            .step_work_of_ranks = work_of_ranks ? &*work_of_ranks : nullptr,
            .layout = report.Find(Layout::kName),
            .findings = report.Find(Findings::kName),
            .path_over_ranks = report.Find(PathOverRanks::kName),
            .replay_fidelity = report.Find(ReplayFidelity::kName)};
  }
  Status AddWorkOfRanks() {
    RS_ASSIGN_OR_RETURN(work_of_ranks, job->Run({.table = std::string(StepWork::kName),
                                                 .settings = {{"ranks", "1"}}}));
    return OkStatus();
  }
};

Result<Side> SideOf(OpenedJob& job, Listener& listener) {
  Side side;
  side.job = &job;
  side.report = DescribeJob(job.job(), job.called());
  RS_ASSIGN_OR_RETURN(side.report.tables, job.RunAll(Requests()));
  job.TellLeftOut(listener);
  const Table* steps = side.report.Find(StepTimes::kName);
  if (side.job->has_chosen_steps() && steps->row_count() == 0)
    return Error(StatusCode::kNotFound,
                 "no recording of {} has a step that --base-steps or --test-steps names; see: "
                 "rankscope table "
                 "step_times {}",
                 side.report.traces, side.report.traces);
  return side;
}

// HTA's two tables, by its parameters.
Result<std::vector<Table>> TablesOfHta(OpenedJob& base, OpenedJob& test, Settings options) {
  TableRequest request{.table = std::string(HtaOpsSummary::kName)};
  if (auto is_short = options.extract("use_short_name"))
    request.settings.insert(std::move(is_short));
  RS_RETURN_IF_ERROR(CheckSettings(request));
  RS_ASSIGN_OR_RETURN(const HtaDiffOptions of_diff, ParseHtaDiffOptions(options));
  RS_ASSIGN_OR_RETURN(const Table control, base.Run(request));
  RS_ASSIGN_OR_RETURN(const Table other, test.Run(request));
  RS_ASSIGN_OR_RETURN(Table trace_diff, HtaTraceDiffOf(control, other, of_diff));
  Table ops_diff = HtaOpsDiffOf(trace_diff);
  std::vector<Table> tables;
  tables.push_back(std::move(trace_diff));
  tables.push_back(std::move(ops_diff));
  return tables;
}

}  // namespace

Result<DiffReport> CompareJobs(const JobSpec& base, const JobSpec& test, HtaTables hta,
                               Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto of_base, OpenJob(base, Requests(), listener));
  RS_ASSIGN_OR_RETURN(const auto of_test, OpenJob(test, Requests(), listener));
  return CompareJobs(*of_base, *of_test, hta, listener);
}

Result<DiffReport> CompareJobs(OpenedJob& base, OpenedJob& test, HtaTables hta,
                               Listener& listener) {
  RS_ASSIGN_OR_RETURN(Side of_base, SideOf(base, listener));
  RS_ASSIGN_OR_RETURN(Side of_test, SideOf(test, listener));
  if (NeedsRanks(of_base.Tables(), of_test.Tables())) {
    RS_RETURN_IF_ERROR(of_base.AddWorkOfRanks());
    RS_RETURN_IF_ERROR(of_test.AddWorkOfRanks());
  }
  DiffReport report;
  RS_ASSIGN_OR_RETURN(report.tables, Compare(of_base.Tables(), of_test.Tables()));
  if (hta == HtaTables::kToo) {
    RS_ASSIGN_OR_RETURN(std::vector<Table> tables, TablesOfHta(*of_base.job, *of_test.job, {}));
    std::move(tables.begin(), tables.end(), std::back_inserter(report.tables));
  }
  report.base = std::move(of_base.report);
  report.test = std::move(of_test.report);
  return report;
}

Result<DiffReport> CompareAsHta(const JobSpec& base, const JobSpec& test, const Settings& settings,
                                Listener& listener) {
  RS_ASSIGN_OR_RETURN(const auto of_base, OpenJob(base, {}, listener));
  RS_ASSIGN_OR_RETURN(const auto of_test, OpenJob(test, {}, listener));
  DiffReport report;
  RS_ASSIGN_OR_RETURN(report.tables, TablesOfHta(*of_base, *of_test, settings));
  return report;
}

bool IsHtaTable(std::string_view name) {
  return name == HtaTraceDiff::kName || name == HtaOpsDiff::kName;
}

Status CheckDiffTable(const std::string& name) {
  if (FindDiffTable(name) != nullptr) return OkStatus();
  std::vector<std::string> names;
  for (const TableEntry& table : DiffTables()) names.push_back(table.name);
  const std::string_view nearest = NearestName(name, names);
  return Error(StatusCode::kInvalidArgument,
               "there is no table '{}' of a comparison; {}rankscope list has all", name,
               nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

}  // namespace rankscope::app
