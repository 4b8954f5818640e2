#include <fmt/core.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/trace_convert.h"
#include "cli/trace_filter.h"
#include "cli/trace_info.h"
#include "cli/trace_merge.h"
#include "cli/trace_scrub.h"
#include "cli/trace_split.h"
#include "cli/trace_stacks.h"
#include "engine/discover.h"
#include "formats/et/reader.h"
#include "formats/flight/reader.h"
#include "formats/format.h"
#include "table/terminal_text.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string format = "text";
  std::string output;
  int jobs = 1;
};

Status Run(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(arguments.paths));
  for (const auto& unlisted : found.unlisted) Tell(unlisted.second.message());
  std::string json = "{\"files\":[";
  std::string text;
  Status first_error;
  std::size_t read = 0;
  for (const TraceInput& input : TracesIn(found.paths)) {
    const std::string& path = input.name;
    if (!json.ends_with('[')) json += ",\n";
    const auto failed = [&](const Status& status) {
      AppendErrorJson(path, status, json);
      text += fmt::format("{}\n\n", SafeForTerminal(status.message()));
      if (first_error.ok()) first_error = status;
    };
    const std::string head = HeadOf(input.file);
    if (flight::IsDump(head)) {
      const auto dump = flight::ReadDump(input.file);
      if (dump.ok()) {
        ++read;
        AppendDumpInfoJson(*dump, json);
        text += DumpInfoText(*dump);
      } else {
        failed(dump.status());
      }
      continue;
    }
    if (et::IsExecutionTrace(head)) {
      const auto execution = et::ReadExecutionTrace(input.file);
      if (execution.ok()) {
        ++read;
        AppendExecutionInfoJson(*execution, json);
        text += ExecutionInfoText(*execution);
      } else {
        failed(execution.status());
      }
      continue;
    }
    ReadOptions options;
    options.threads = arguments.jobs;
    options.part = input.part;
    options.execution_trace = input.execution_trace;
    auto trace = ReadTraceFile(input.file, options);
    if (trace.ok()) trace->meta.path = path;
    if (trace.ok()) {
      ++read;
      AppendTraceInfoJson(*trace, json);
      text += TraceInfoText(*trace);
    } else {
      failed(trace.status());
    }
  }
  json += "]}\n";
  RS_RETURN_IF_ERROR(WriteOutput(arguments.output, arguments.format == "json" ? json : text));
  return read == 0 ? first_error : OkStatus();
}

}  // namespace

void AddTrace(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("trace", "look at single trace files");
  CommandSpec& info =
      command.AddCommand("info", "say what is in trace files, and what is wrong with them");
  auto arguments = std::make_shared<Arguments>();
  info.AddOption("PATH", arguments->paths, "trace files, folders or globs").Required();
  info.AddOption("--format", arguments->format, "text or json")
      .OneOf({"text", "json"})
      .ShowDefault();
  info.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  info.AddOption("--jobs,-j", arguments->jobs, "threads to use").Range(1, 1024);
  info.Footer("Example:\n  rankscope trace info rank0.pt.trace.json.gz");
  info.SetRun(MakeAction([arguments] { return Run(*arguments); }));
  AddTraceStacks(command);
  AddTraceConvert(command);
  AddTraceFilter(command);
  AddTraceSplit(command);
  AddTraceMerge(command);
  AddTraceScrub(command);
}

}  // namespace rankscope::cli
