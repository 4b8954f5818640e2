#include <fmt/core.h>

#include <optional>

#include "app/notebook_of.h"
#include "app/read_serving.h"
#include "app/report_folder.h"
#include "app/report_of.h"
#include "app/serving_files.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/open_in.h"
#include "cli/base/output.h"
#include "cli/base/several_runs.h"
#include "cli/job/runner.h"
#include "cli/serving/write_serving.h"
#include "report/documents/json_report.h"
#include "report/documents/markdown_report.h"
#include "report/html/html_report.h"
#include "report/text/text_report.h"
#include "report/words/trace_of_finding.h"

namespace rankscope::cli {
namespace {

struct AnalyzeArguments {
  JobArguments job;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  bool full = false;
  bool all = false;
  std::string run_url;
  OpenArgument open;
  RunnerArguments runner;
};

Result<ExitCode> AnalyseOne(const AnalyzeArguments& arguments, const app::JobSpec& spec);

std::string WriteAnalyze(const Report& report, const AnalyzeArguments& arguments) {
  if (arguments.format == "json") return WriteJsonReport(report);
  if (arguments.format == "markdown") return WriteMarkdownReport(report);
  if (arguments.format == "html") return WriteHtmlReport(report);
  if (arguments.format == "view") return WriteHtmlView(report);
  return WriteTextReport(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

bool DrawsPlots(const std::string& format) {
  return format == "html" || format == "view" || format == "folder";
}

Status WriteReport(const app::JobReport& made, const app::JobSpec& spec,
                   const AnalyzeArguments& arguments) {
  if (arguments.format == "folder")
    return app::WriteReportFolder(*made.job, made.report, arguments.output);
  if (arguments.format == "ipynb") {
    RS_ASSIGN_OR_RETURN(const std::string notebook,
                        app::NotebookOf(spec, made.report, arguments.run_url));
    return WriteOutput(arguments.output, notebook);
  }
  return WriteOutput(arguments.output, WriteAnalyze(made.report, arguments));
}

app::ReportUse UseOf(const AnalyzeArguments& arguments) {
  return DrawsPlots(arguments.format) ? app::ReportUse::kPage : app::ReportUse::kText;
}

// The sentence that says what hits --fail-on; an error, before anything is written, where it cannot
// be decided.
Result<std::optional<std::string>> HitOf(const AnalyzeArguments& arguments, const Report& report) {
  if (arguments.fail_on.empty()) return std::optional<std::string>();
  return app::GateHit(arguments.fail_on, report);
}

app::JobSpec SpecOf(app::JobSpec spec, const app::RunChoice& run) {
  spec.paths = run.paths;
  spec.called = WordsOf(run);
  return spec;
}

// The reports of several runs as one text.
class Reports {
 public:
  explicit Reports(const AnalyzeArguments& arguments) : arguments_(arguments) {}

  void Add(const app::RunChoice& run, const Report& report) {
    const std::string text = WriteAnalyze(report, arguments_);
    if (arguments_.format == "json") {
      text_ += (text_.empty() ? "[\n" : ",\n") + text;
    } else {
      const std::string_view mark = arguments_.format == "markdown" ? "# " : "=== ";
      text_ += fmt::format("{}{}{}\n\n{}", text_.empty() ? "" : "\n", mark, WordsOf(run), text);
    }
  }
  std::string Finish() { return arguments_.format == "json" ? text_ + "]\n" : text_; }

 private:
  const AnalyzeArguments& arguments_;
  std::string text_;
};

Result<ExitCode> AnalyseEach(const AnalyzeArguments& arguments, const app::JobSpec& spec,
                             const std::vector<app::RunChoice>& runs) {
  if (arguments.format != "text" && arguments.format != "json" && arguments.format != "markdown")
    return Error(StatusCode::kInvalidArgument, "--all takes --format text, json or markdown");
  Reports reports(arguments);
  ExitCode worst = kDone;
  for (const app::RunChoice& run : runs) {
    TerminalListener listener;
    RS_ASSIGN_OR_RETURN(const app::JobReport made,
                        app::ReportOf(SpecOf(spec, run), UseOf(arguments), listener));
    reports.Add(run, made.report);
    RS_ASSIGN_OR_RETURN(const auto hit, HitOf(arguments, made.report));
    if (!hit) continue;
    Tell(fmt::format("{}: {}", WordsOf(run), *hit));
    worst = kGateHit;
  }
  RS_RETURN_IF_ERROR(WriteOutput(arguments.output, reports.Finish()));
  return worst;
}

// Without anybody to ask the runs are listed.
Result<ExitCode> ChooseRun(const AnalyzeArguments& arguments, const app::JobSpec& spec,
                           const std::vector<app::RunChoice>& runs) {
  const auto chosen = AskForRun(runs);
  if (chosen) return AnalyseOne(arguments, SpecOf(spec, runs[*chosen]));
  TellRuns(runs, "rankscope analyze", ", or --all of them; rankscope diff BASE TEST compares two");
  return kBadUsage;
}

Result<ExitCode> AnalyseOne(const AnalyzeArguments& arguments, const app::JobSpec& spec) {
  TerminalListener listener;
  Result<app::JobReport> made = app::ReportOf(spec, UseOf(arguments), listener);
  if (!made.ok() && !listener.runs().empty())
    return arguments.all ? AnalyseEach(arguments, spec, listener.runs())
                         : ChooseRun(arguments, spec, listener.runs());
  if (!made.ok()) return made.status();
  // What was found out of all ranks together need not lie beside the text that is written.
  if (arguments.format != "folder") made->job.reset();
  RS_ASSIGN_OR_RETURN(const auto hit, HitOf(arguments, made->report));
  RS_RETURN_IF_ERROR(WriteReport(*made, spec, arguments));
  if (hit) Tell(*hit);
  if (arguments.open.is_page()) RS_RETURN_IF_ERROR(OpenPage(arguments.output));
  if (arguments.open.is_perfetto())
    RS_RETURN_IF_ERROR(OpenInPerfetto(TraceOfFirstFinding(made->report)));
  return hit ? kGateHit : kDone;
}

// Of recordings of a serving program the report is that of rankscope serving.
Result<ExitCode> AnalyseServing(const AnalyzeArguments& arguments, const app::JobSpec& spec) {
  if (!arguments.fail_on.empty() || arguments.format == "ipynb" || arguments.open.is_perfetto())
    return Error(StatusCode::kInvalidArgument,
                 "{}: recordings of a serving program; of these --fail-on, --format ipynb and "
                 "Perfetto say nothing: rankscope serving PATH",
                 spec.paths.front());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const ServingReport report,
                      app::ReadServing({.paths = spec.paths}, listener));
  RS_RETURN_IF_ERROR(WriteServing(report, arguments.format, arguments.output));
  if (arguments.open.is_page()) RS_RETURN_IF_ERROR(OpenPage(arguments.output));
  return kDone;
}

Result<ExitCode> AnalyseAny(const AnalyzeArguments& arguments, const app::JobSpec& spec) {
  TerminalListener listener;
  return app::IsServing(spec.paths, listener) ? AnalyseServing(arguments, spec)
                                              : AnalyseOne(arguments, spec);
}

// The report is one file, made by another process of this program.
Result<ExitCode> AnalyseElsewhere(const AnalyzeArguments& arguments) {
  if (arguments.format == "folder" || arguments.format == "ipynb" || arguments.all ||
      arguments.open.is_page() || arguments.open.is_perfetto())
    return Error(StatusCode::kInvalidArgument,
                 "--runner makes a report of text, json, markdown, html or view: without --all, "
                 "--open and --format folder and ipynb");
  ReportWords report{.options = {"--format", arguments.format},
                     .draws = DrawsPlots(arguments.format),
                     .output = arguments.output};
  if (arguments.full) report.options.emplace_back("--full");
  if (!arguments.fail_on.empty())
    report.options.insert(report.options.end(), {"--fail-on", arguments.fail_on});
  return arguments.runner.Run(arguments.job, report);
}

Result<ExitCode> RunAnalyze(const AnalyzeArguments& arguments) {
  if (!arguments.fail_on.empty()) RS_RETURN_IF_ERROR(app::CheckGate(arguments.fail_on));
  if (arguments.runner.is_elsewhere()) return AnalyseElsewhere(arguments);
  if (arguments.format == "folder" && arguments.output.empty())
    return Error(StatusCode::kInvalidArgument, "--format folder needs the folder: -o FOLDER");
  RS_ASSIGN_OR_RETURN(app::JobSpec spec, arguments.job.Spec());
  RS_RETURN_IF_ERROR(arguments.runner.TakeShards(spec));
  if (!arguments.open.is_page()) return AnalyseAny(arguments, spec);
  AnalyzeArguments page = arguments;
  page.format = "html";
  if (page.output.empty()) {
    RS_ASSIGN_OR_RETURN(page.output, NameForPage());
  }
  return AnalyseAny(page, spec);
}

}  // namespace

void AddAnalyze(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("analyze", "say why a job is slow, and where its time goes");
  auto arguments = std::make_shared<AnalyzeArguments>();
  arguments->job.AddTo(command);
  command
      .AddOption("--format", arguments->format,
                 "text, json, markdown (for pull requests and assistants), html, ipynb (a Jupyter "
                 "notebook), view (what the page draws, as JSON) or folder (html, view, a Parquet "
                 "file of every table and the timeline)")
      .OneOf({"text", "json", "markdown", "html", "ipynb", "view", "folder"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file, or folder")
      .Type(kFileType);
  arguments->open.AddTo(command);
  command.AddFlag("--all", arguments->all,
                  "of several runs that make no job together: analyse each");
  command.AddOption("--of-run", arguments->run_url,
                    "ipynb: the notebook fetches the traces from this run of a server, "
                    "http://HOST/api/v1/runs/ID");
  command.AddFlag("--full", arguments->full, "text: all sections, not the first screen alone");
  command
      .AddOption("--fail-on", arguments->fail_on,
                 "high, medium, low or a finding's id: exit with 3 when such a finding, or a "
                 "worse one, is made")
      .Type(kGateType);
  arguments->runner.AddTo(command);
  command.Footer("Example:\n  rankscope analyze traces/ --format html -o report.html");
  command.SetRun(MakeActionWithCode([arguments] { return RunAnalyze(*arguments); }));
}

}  // namespace rankscope::cli
