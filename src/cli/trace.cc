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

void AddTrace(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("trace", "look at single trace files");
  command->require_subcommand(1);
  auto* info =
      command->add_subcommand("info", "say what is in trace files, and what is wrong with them");
  auto arguments = std::make_shared<Arguments>();
  info->add_option("PATH", arguments->paths, "trace files, folders or globs")->required();
  info->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  info->add_option("-o,--output", arguments->output, "write to this file")->type_name(kFileType);
  info->add_option("--jobs,-j", arguments->jobs, "threads to use")->check(CLI::Range(1, 1024));
  info->footer("Example:\n  rankscope trace info rank0.pt.trace.json.gz");
  info->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
  AddTraceStacks(*command, action);
  AddTraceConvert(*command, action);
  AddTraceFilter(*command, action);
  AddTraceSplit(*command, action);
  AddTraceMerge(*command, action);
  AddTraceScrub(*command, action);
}

}  // namespace rankscope::cli
