#include "app/read_serving.h"
#include "catalog/tables.h"
#include "cli/command.h"
#include "cli/listener.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "cli/table_output.h"
#include "report/serving_report.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  app::ServingSpec serving;
  std::string format = "text";
  std::string output;
  std::string table;
};

bool IsReportFormat(std::string_view format) {
  return format == "text" || format == "json" || format == "markdown";
}

Status CheckFormat(const Arguments& arguments) {
  if (arguments.table.empty() && !IsReportFormat(arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  if (!arguments.table.empty() && arguments.format == "markdown")
    return Error(StatusCode::kInvalidArgument,
                 "--format markdown is of the whole report, not of --table");
  return OkStatus();
}

std::string Write(const ServingReport& report, const Arguments& arguments) {
  if (arguments.format == "json") return WriteServingJson(report);
  if (arguments.format == "markdown") return WriteServingMarkdown(report);
  return WriteServingText(report, {.colour = arguments.output.empty() && TakesColour()});
}

Status Run(const Arguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormat(arguments));
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const ServingReport report, app::ReadServing(arguments.serving, listener));
  if (!arguments.table.empty())
    return TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table));
  return WriteOutput(arguments.output, Write(report, arguments));
}

}  // namespace

void AddServing(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "serving", "say where the time of requests goes in a serving program, and why");
  auto arguments = std::make_shared<Arguments>();
  command
      .AddOption("PATH", arguments->serving.paths,
                 "files, folders or globs of what it recorded: scrapes of /metrics, OTLP spans, "
                 "request logs, benchmark results, access logs, vLLM's log")
      .Required();
  command
      .AddOption("--format", arguments->format,
                 "text, json or markdown; of --table text, json, csv, jsonl or parquet")
      .OneOf({"text", "json", "markdown", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddOption("--table", arguments->table, "one table in place of the report")
      .OneOf(catalog::TableNames(Subject::kServing));
  command
      .AddOption("--slo", arguments->serving.objective,
                 "limits that good requests keep, such as ttft=500ms,tpot=50ms,e2e=10s: says how "
                 "many do")
      .Type("LIMITS");
  command.Footer(
      "Example:\n  rankscope serving logs/\n  rankscope serving profile_export.jsonl --slo "
      "ttft=500ms,tpot=50ms\n  rankscope serving logs/ --table serving_stages --format csv");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->serving.paths));
    return Run(*arguments);
  }));
}

}  // namespace rankscope::cli
