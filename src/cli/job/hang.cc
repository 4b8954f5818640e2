#include "app/read_hang.h"
#include "catalog/tables.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "report/hang/hang_report.h"

namespace rankscope::cli {
namespace {

struct HangArguments {
  std::vector<std::string> paths;
  std::string format = "text";
  std::string output;
  std::string table;
  int jobs = 0;
};

Status CheckFormatHang(const HangArguments& arguments) {
  const bool is_report = arguments.format == "text" || arguments.format == "json";
  if (arguments.table.empty() && !is_report)
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  return OkStatus();
}

Status RunHang(const HangArguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormatHang(arguments));
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const HangReport report,
                      app::ReadHang(arguments.paths, ThreadsFor(arguments.jobs), listener));
  if (!arguments.table.empty())
    return TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table));
  return WriteOutput(
      arguments.output,
      arguments.format == "json"
          ? WriteHangJson(report)
          : WriteHangText(report, {.colour = arguments.output.empty() && TakesColour()}));
}

}  // namespace

void AddHang(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "hang", "say why a job stands still, from the Flight Recorder dumps of its ranks");
  auto arguments = std::make_shared<HangArguments>();
  command.AddOption("PATH", arguments->paths, "dumps, folders of dumps or globs").Required();
  command
      .AddOption("--format", arguments->format,
                 "text or json; of --table text, json, csv, jsonl or parquet")
      .OneOf({"text", "json", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddOption("--table", arguments->table, "one table in place of the report")
      .OneOf(catalog::TableNames(Subject::kDumps));
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer(
      "Example:\n  rankscope hang /tmp/nccl_trace_rank_*\n  rankscope hang dumps/ --table "
      "flight_members --format csv");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->paths));
    return RunHang(*arguments);
  }));
}

}  // namespace rankscope::cli
