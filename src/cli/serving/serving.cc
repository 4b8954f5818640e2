#include "app/read_serving.h"
#include "app/serving_folder.h"
#include "catalog/tables.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "cli/serving/write_serving.h"

namespace rankscope::cli {
namespace {

struct ServingArguments {
  app::ServingSpec serving;
  std::string format = "text";
  std::string output;
  std::string table;
};

// The whole report, and no table.
bool IsOfPage(std::string_view format) {
  return format == "html" || format == "view" || format == "folder";
}

bool IsReportFormatServing(std::string_view format) {
  return format == "text" || format == "json" || format == "markdown" || IsOfPage(format);
}

Status CheckFormatServing(const ServingArguments& arguments) {
  if (arguments.table.empty() && !IsReportFormatServing(arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  const bool is_of_all = arguments.format == "markdown" || IsOfPage(arguments.format);
  if (!arguments.table.empty() && is_of_all)
    return Error(StatusCode::kInvalidArgument, "--format {} is of the whole report, not of --table",
                 arguments.format);
  if (arguments.format == "folder" && arguments.output.empty())
    return Error(StatusCode::kInvalidArgument, "--format folder needs the folder: -o FOLDER");
  return OkStatus();
}

Status RunServing(const ServingArguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormatServing(arguments));
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const ServingReport report, app::ReadServing(arguments.serving, listener));
  if (!arguments.table.empty())
    return TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table));
  return WriteServing(report, arguments.format, arguments.output);
}

}  // namespace

Status WriteServing(const ServingReport& report, const std::string& format,
                    const std::string& output) {
  if (format == "folder") return app::WriteServingFolder(report, output);
  if (format == "json") return WriteOutput(output, WriteServingJson(report));
  if (format == "markdown") return WriteOutput(output, WriteServingMarkdown(report));
  if (format == "html") return WriteOutput(output, WriteServingHtml(report));
  if (format == "view") return WriteOutput(output, WriteServingView(report));
  return WriteOutput(output, WriteServingText(report, {.colour = output.empty() && TakesColour()}));
}

void AddServing(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "serving", "say where the time of requests goes in a serving program, and why");
  auto arguments = std::make_shared<ServingArguments>();
  command
      .AddOption("PATH", arguments->serving.paths,
                 "files, folders or globs of what it recorded: scrapes of /metrics, OTLP spans, "
                 "request logs, benchmark results, access logs, logs of vLLM, SGLang and "
                 "TensorRT-LLM, a service's recorded requests")
      .Required();
  command
      .AddOption("--format", arguments->format,
                 "text, json, markdown, html (a page), view (what it draws, as JSON) or folder "
                 "(view and a Parquet file of every table); of --table text, json, csv, jsonl or "
                 "parquet")
      .OneOf({"text", "json", "markdown", "html", "view", "folder", "csv", "jsonl", "parquet"})
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
    return RunServing(*arguments);
  }));
}

}  // namespace rankscope::cli
