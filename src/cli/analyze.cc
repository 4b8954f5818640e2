#include <optional>

#include "cli/command.h"
#include "cli/describe_job.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "insight/gate.h"
#include "report/html_report.h"
#include "report/json_report.h"
#include "report/table_view.h"
#include "report/text_report.h"
#include "schemas/findings.h"
#include "schemas/steps.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  bool full = false;
};

// The sentence on what hits the gate, if anything does.
Result<std::optional<std::string>> HitOf(const std::string& gate, const Report& report) {
  if (gate.empty()) return std::optional<std::string>();
  const Table* findings = report.Find(Findings::kName);
  // A gate on a cause that nothing looks for would always be open: better to say so than to let a
  // job pass unchecked.
  if (findings == nullptr) {
    return Error(StatusCode::kNotFound,
                 "--fail-on {} cannot be decided: this version has no rule for any finding", gate);
  }
  return GateHit(gate, *findings, report.Find(NotEvaluated::kName));
}

std::string Write(const Report& report, const Arguments& arguments) {
  if (arguments.format == "json") return WriteJsonReport(report);
  if (arguments.format == "html") return WriteHtmlReport(report);
  if (arguments.format == "view") return WriteHtmlView(report);
  return WriteTextReport(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

bool DrawsPlots(const std::string& format) {
  return format == "html" || format == "view" || format == "folder";
}

Status WriteReport(Job& job, const Report& report, const Arguments& arguments) {
  if (arguments.format == "folder") return WriteReportFolder(job, report, arguments.output);
  return WriteOutput(arguments.output, Write(report, arguments));
}

Result<ExitCode> Run(const Arguments& arguments) {
  if (!arguments.fail_on.empty()) RS_RETURN_IF_ERROR(CheckGate(arguments.fail_on));
  if (arguments.format == "folder" && arguments.output.empty())
    return Error(StatusCode::kInvalidArgument, "--format folder needs the folder: -o FOLDER");
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests,
                      DrawsPlots(arguments.format) ? DrawnRequests() : SummaryRequests());
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open(requests));
  Report report = DescribeJob(*job);
  report.traces = arguments.job.Words();
  RS_ASSIGN_OR_RETURN(report.tables, job->RunAll(requests));
  TellLost(*job);
  if (job->options().steps && RowsOf<StepTimes>(report).empty()) {
    return Error(StatusCode::kNotFound,
                 "no recording has a step that --steps names; see: rankscope table step_times");
  }
  RS_ASSIGN_OR_RETURN(const std::optional<std::string> hit, HitOf(arguments.fail_on, report));
  RS_RETURN_IF_ERROR(WriteReport(*job, report, arguments));
  if (!hit) return kDone;
  Tell(*hit);
  return kGateHit;
}

}  // namespace

void AddAnalyze(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("analyze", "say why a job is slow, and where its time goes");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(command);
  command
      .AddOption("--format", arguments->format,
                 "text, json, html, view (what the page draws, as JSON) or folder (the last two, "
                 "a Parquet file of every table and the timeline)")
      .OneOf({"text", "json", "html", "view", "folder"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file, or folder")
      .Type(kFileType);
  command.AddFlag("--full", arguments->full, "text: all sections, not the first screen alone");
  command
      .AddOption("--fail-on", arguments->fail_on,
                 "high, medium, low or a finding's id: exit with 3 when such a finding, or a "
                 "worse one, is made")
      .Type(kGateType);
  command.Footer("Example:\n  rankscope analyze traces/ --format html -o report.html");
  command.SetRun([arguments] {
    const Result<ExitCode> code = Run(*arguments);
    return code.ok() ? static_cast<int>(*code) : Fail(code.status());
  });
}

}  // namespace rankscope::cli
