#include <optional>

#include "app/report_folder.h"
#include "app/report_of.h"
#include "cli/command.h"
#include "cli/listener.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "report/html_report.h"
#include "report/json_report.h"
#include "report/text_report.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  bool full = false;
};

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

Status WriteReport(const app::JobReport& made, const Arguments& arguments) {
  if (arguments.format == "folder")
    return app::WriteReportFolder(*made.job, made.report, arguments.output);
  return WriteOutput(arguments.output, Write(made.report, arguments));
}

Result<ExitCode> Run(const Arguments& arguments) {
  if (!arguments.fail_on.empty()) RS_RETURN_IF_ERROR(app::CheckGate(arguments.fail_on));
  if (arguments.format == "folder" && arguments.output.empty())
    return Error(StatusCode::kInvalidArgument, "--format folder needs the folder: -o FOLDER");
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(
      app::JobReport made,
      app::ReportOf(spec,
                    DrawsPlots(arguments.format) ? app::ReportUse::kPage : app::ReportUse::kText,
                    listener));
  // What was found out of all ranks together need not lie beside the text that is written.
  if (arguments.format != "folder") made.job.reset();
  std::optional<std::string> hit;
  if (!arguments.fail_on.empty()) {
    RS_ASSIGN_OR_RETURN(hit, app::GateHit(arguments.fail_on, made.report));
  }
  RS_RETURN_IF_ERROR(WriteReport(made, arguments));
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
