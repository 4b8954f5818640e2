#include <algorithm>
#include <optional>

#include "app/compare_jobs.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "report/diff/diff_report.h"

namespace rankscope::cli {
namespace {

struct DiffCommandLine {
  JobArguments base;
  JobArguments test;
  JobArguments shared;
  std::string format = "text";
  std::string output;
  std::string fail_on;
  std::string table;
  std::vector<std::string> settings;
  bool full = false;
};

constexpr std::string_view kReportFormats[] = {"text", "json", "html", "view"};
constexpr std::string_view kTableFormats[] = {"text", "json", "csv", "jsonl", "parquet"};

template <std::size_t N>
bool Has(const std::string_view (&formats)[N], std::string_view format) {
  return std::find(std::begin(formats), std::end(formats), format) != std::end(formats);
}

Status CheckFormatDiff(const DiffCommandLine& arguments) {
  if (arguments.table.empty() && !Has(kReportFormats, arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  if (!arguments.table.empty() && !Has(kTableFormats, arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} is of the whole report, not of --table",
                 arguments.format);
  if (!arguments.settings.empty() && !arguments.table.starts_with("hta."))
    return Error(StatusCode::kInvalidArgument,
                 "--set is for --table hta.trace_diff and hta.ops_diff, which have options");
  if (!arguments.fail_on.empty() && app::IsHtaTable(arguments.table))
    return Error(StatusCode::kInvalidArgument,
                 "--fail-on is for step times, which HTA's tables do not have");
  return OkStatus();
}

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

std::string WriteCompared(const DiffReport& report, const DiffCommandLine& arguments) {
  if (arguments.format == "json") return WriteDiffJson(report);
  if (arguments.format == "html") return WriteDiffHtml(report);
  if (arguments.format == "view") return WriteDiffView(report);
  return WriteDiffText(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

Result<ExitCode> RunDiff(DiffCommandLine& arguments) {
  if (!arguments.table.empty()) RS_RETURN_IF_ERROR(app::CheckDiffTable(arguments.table));
  RS_RETURN_IF_ERROR(CheckFormatDiff(arguments));
  std::optional<double> limit;
  if (!arguments.fail_on.empty()) {
    RS_ASSIGN_OR_RETURN(limit, ParsePercent(arguments.fail_on));
  }
  arguments.base.TakeShared(arguments.shared);
  arguments.test.TakeShared(arguments.shared);
  RS_ASSIGN_OR_RETURN(const app::Settings settings, ParseSettings(arguments.settings));
  const bool has_hta = arguments.format == "json" && arguments.table.empty();
  RS_ASSIGN_OR_RETURN(const app::JobSpec base, arguments.base.Spec());
  RS_ASSIGN_OR_RETURN(const app::JobSpec test, arguments.test.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(
      const DiffReport report,
      app::IsHtaTable(arguments.table)
          ? app::CompareAsHta(base, test, settings, listener)
          : app::CompareJobs(base, test, has_hta ? app::HtaTables::kToo : app::HtaTables::kNot,
                             listener));
  RS_RETURN_IF_ERROR(
      arguments.table.empty()
          ? WriteOutput(arguments.output, WriteCompared(report, arguments))
          : TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table)));
  if (!limit) return kDone;
  RS_ASSIGN_OR_RETURN(const std::optional<std::string> hit, DiffGateHit(*limit, report));
  if (!hit) return kDone;
  Tell(*hit);
  return kGateHit;
}

}  // namespace

void AddDiff(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "diff", "say what changed between two jobs, captures or ranks, and whether it is noise");
  auto arguments = std::make_shared<DiffCommandLine>();
  arguments->base.AddSide(command, "base");
  arguments->test.AddSide(command, "test");
  arguments->shared.AddShared(command);
  command
      .AddOption("--format", arguments->format,
                 "text, json, html or view (what the page draws, as JSON); of --table text, json, "
                 "csv, jsonl or parquet")
      .OneOf({"text", "json", "html", "view", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddFlag("--full", arguments->full, "text: all rows, not what changed by 1% alone");
  command
      .AddOption("--table", arguments->table,
                 "one table in place of the report: diff_ops, diff_places, hta.trace_diff, "
                 "... (rankscope list has all)")
      .Type(kDiffTableType);
  command.AddOption("--set", arguments->settings,
                    "an option of hta.trace_diff and hta.ops_diff, as OPTION=VALUE");
  command
      .AddOption("--fail-on", arguments->fail_on,
                 "such as 3%: exit with 3 when a step of TEST is slower by that or more, and "
                 "not by chance")
      .Type("PERCENT");
  command.Footer(
      "Example:\n  rankscope diff before/ after/ --fail-on 3%\n  rankscope diff traces/ traces/ "
      "--base-ranks 0 --test-ranks 3");
  command.SetRun(MakeActionWithCode([arguments] { return RunDiff(*arguments); }));
}

}  // namespace rankscope::cli
