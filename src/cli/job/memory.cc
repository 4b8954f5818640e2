#include <algorithm>

#include "app/read_memory.h"
#include "base/number_set.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "report/memory/memory_report.h"

namespace rankscope::cli {
namespace {

struct MemoryArguments {
  app::MemorySpec memory;
  std::string format = "text";
  std::string output;
  std::string table;
  std::string device_memory;
  std::int64_t device = -1;
  bool full = false;
};

bool IsReportFormatMemory(std::string_view format) {
  return format == "text" || format == "json" || format == "html" || format == "view";
}

// What needs all that the page draws.
bool IsOfMemoryPage(std::string_view format) { return format == "html" || format == "view"; }

Status CheckFormatMemory(const MemoryArguments& arguments) {
  if (arguments.table.empty() && !IsReportFormatMemory(arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  if (!arguments.table.empty() && IsOfMemoryPage(arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} is of the whole report, not of --table",
                 arguments.format);
  return OkStatus();
}

std::string WriteMemory(const MemoryReport& report, const MemoryArguments& arguments) {
  if (arguments.format == "json") return WriteMemoryJson(report);
  if (arguments.format == "html") return WriteMemoryHtml(report);
  if (arguments.format == "view") return WriteMemoryView(report);
  return WriteMemoryText(
      report, {.colour = arguments.output.empty() && TakesColour(), .full = arguments.full});
}

Status RunMemory(MemoryArguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormatMemory(arguments));
  if (arguments.device >= 0) arguments.memory.device = arguments.device;
  if (!arguments.device_memory.empty()) {
    RS_ASSIGN_OR_RETURN(const std::uint64_t bytes, ParseByteSize(arguments.device_memory));
    arguments.memory.device_bytes =
        static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, 1ull << 50));
  }
  TerminalListener listener;
  if (!arguments.table.empty()) {
    RS_ASSIGN_OR_RETURN(const Table table,
                        app::ReadMemoryTable(arguments.memory, arguments.table, listener));
    return TableOutput(arguments.format, arguments.output).Write(table);
  }
  const app::MemoryUse use =
      IsOfMemoryPage(arguments.format) ? app::MemoryUse::kPage : app::MemoryUse::kReport;
  RS_ASSIGN_OR_RETURN(const MemoryReport report, app::ReadMemory(arguments.memory, use, listener));
  return WriteOutput(arguments.output, WriteMemory(report, arguments));
}

}  // namespace

void AddMemory(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "memory", "say who holds GPU memory, what is unused, what leaks and why it ran out");
  auto arguments = std::make_shared<MemoryArguments>();
  command
      .AddOption("SNAPSHOT", arguments->memory.paths,
                 "of torch.cuda.memory._dump_snapshot, and a later one of the same process to "
                 "say what grew; or a raw memory timeline of torch.profiler")
      .Type(kFileType)
      .Count(1, 2)
      .Required();
  command
      .AddOption("--format", arguments->format,
                 "text, json, html or view (what the page draws, as JSON); of --table text, "
                 "json, csv, jsonl or parquet")
      .OneOf({"text", "json", "html", "view", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddFlag("--full", arguments->full, "text: all rows, not the largest alone");
  command
      .AddOption("--table", arguments->table,
                 "one table in place of the report: snapshot_peak, snapshot_timeline, "
                 "hta.memory_timeline, ... (rankscope list has all)")
      .Type(kMemoryTableType);
  command.AddOption("--device", arguments->device, "this GPU alone, by its index")
      .NonNegative()
      .Type("N");
  command
      .AddOption("--device-memory", arguments->device_memory,
                 "what the GPU has in all, such as 80G: tells memory of other processes")
      .Type("SIZE");
  command.Footer(
      "Example:\n  rankscope memory snapshot.pickle\n  rankscope memory snapshot.pickle --format "
      "html -o memory.html\n  rankscope memory early.pickle late.pickle");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->memory.paths));
    return RunMemory(*arguments);
  }));
}

}  // namespace rankscope::cli
