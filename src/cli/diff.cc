#include <optional>
#include <utility>

#include "catalog/list.h"
#include "cli/command.h"
#include "cli/describe_job.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "compare/compare.h"
#include "report/diff_report.h"
#include "schemas/captures.h"
#include "schemas/critical_path.h"
#include "schemas/findings.h"
#include "schemas/layout.h"
#include "schemas/steps.h"
#include "schemas/work.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments base;
  JobArguments test;
  JobArguments shared;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  bool full = false;
};

// "3%" or "3" -> 3.
Result<double> ParsePercent(const std::string& text) {
  std::size_t end = 0;
  double percent = -1;
  try {
    percent = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end < text.size() && text[end] == '%') ++end;
  if (end == 0 || end != text.size() || !(percent >= 0 && percent <= 1e9)) {
    return Error(StatusCode::kInvalidArgument,
                 "--fail-on takes by how much a step may be slower, such as 3%, not '{}'", text);
  }
  return percent;
}

// The tables of one job that a comparison takes, in the order of Requests.
constexpr std::string_view kNames[] = {
    Captures::kName, JobSteps::kName, StepTimes::kName,     TimeBreakdown::kName, StepWork::kName,
    Layout::kName,   Findings::kName, PathOverRanks::kName, ReplayFidelity::kName};

Result<std::vector<Request>> Requests() {
  std::vector<Request> requests;
  for (const std::string_view name : kNames) {
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(name));
    requests.push_back({analysis, {}});
  }
  return requests;
}

struct Side {
  std::unique_ptr<Job> job;
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
    RS_ASSIGN_OR_RETURN(const Analysis* analysis, FindAnalysis(StepWork::kName));
    RS_ASSIGN_OR_RETURN(work_of_ranks, job->Run({analysis, {{"ranks", "1"}}}));
    return OkStatus();
  }
};

Result<Side> Open(const JobArguments& arguments, const std::vector<Request>& requests) {
  Side side;
  RS_ASSIGN_OR_RETURN(side.job, arguments.Open(requests));
  side.report = DescribeJob(*side.job);
  side.report.traces = TracesWords(arguments.paths());
  RS_ASSIGN_OR_RETURN(side.report.tables, side.job->RunAll(requests));
  TellLost(*side.job);
  return side;
}

Result<DiffReport> CompareSides(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, Requests());
  RS_ASSIGN_OR_RETURN(Side base, Open(arguments.base, requests));
  RS_ASSIGN_OR_RETURN(Side test, Open(arguments.test, requests));
  if (NeedsRanks(base.Tables(), test.Tables())) {
    RS_RETURN_IF_ERROR(base.AddWorkOfRanks());
    RS_RETURN_IF_ERROR(test.AddWorkOfRanks());
  }
  DiffReport report;
  RS_ASSIGN_OR_RETURN(report.tables, Compare(base.Tables(), test.Tables()));
  report.base = std::move(base.report);
  report.test = std::move(test.report);
  return report;
}

std::string Write(const DiffReport& report, const Arguments& arguments) {
  if (arguments.format == "json") return WriteDiffJson(report);
  return WriteDiffText(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

Result<ExitCode> Run(Arguments& arguments) {
  std::optional<double> limit;
  if (!arguments.fail_on.empty()) {
    RS_ASSIGN_OR_RETURN(limit, ParsePercent(arguments.fail_on));
  }
  arguments.base.TakeShared(arguments.shared);
  arguments.test.TakeShared(arguments.shared);
  RS_ASSIGN_OR_RETURN(const DiffReport report, CompareSides(arguments));
  RS_RETURN_IF_ERROR(WriteOutput(arguments.output, Write(report, arguments)));
  if (!limit) return kDone;
  RS_ASSIGN_OR_RETURN(const std::optional<std::string> hit, DiffGateHit(*limit, report));
  if (!hit) return kDone;
  Tell(*hit);
  return kGateHit;
}

}  // namespace

void AddDiff(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "diff", "say what changed between two jobs, captures or ranks, and whether it is noise");
  auto arguments = std::make_shared<Arguments>();
  arguments->base.AddSide(*command, "base");
  arguments->test.AddSide(*command, "test");
  arguments->shared.AddShared(*command);
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "write to this file")->type_name(kFileType);
  command->add_flag("--full", arguments->full, "text: all rows, not what changed by 1% alone");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "such as 3%: exit with 3 when a step of TEST is slower by that or more, and "
                   "not by chance")
      ->type_name("PERCENT");
  command->footer(
      "Example:\n  rankscope diff before/ after/ --fail-on 3%\n  rankscope diff traces/ traces/ "
      "--base-ranks 0 --test-ranks 3");
  command->callback([&action, arguments] {
    action = [arguments] {
      const Result<ExitCode> code = Run(*arguments);
      return code.ok() ? static_cast<int>(*code) : Fail(code.status());
    };
  });
}

}  // namespace rankscope::cli
