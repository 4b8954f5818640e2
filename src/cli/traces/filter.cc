#include "cli/traces/filter.h"

#include <fmt/core.h>

#include "base/number_set.h"
#include "cli/arguments/durations.h"
#include "cli/base/messages.h"
#include "cli/base/open_in.h"
#include "cli/base/standard_input.h"
#include "table/human_number.h"
#include "tools/filter.h"

namespace rankscope::cli {
namespace {

struct TraceFilterArguments {
  std::string path;
  std::string output;
  std::string ranks;
  std::string steps;
  std::string time;
  std::vector<std::string> categories;
  std::vector<std::string> names;
  std::string streams;
  std::string min_duration;
  std::string max_duration;
  bool no_python = false;
  bool no_links = false;
  int jobs = 0;
  OpenArgument open;
};

Status ReadNumbers(const std::string& text, std::optional<std::set<std::int64_t>>& numbers) {
  if (text.empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(numbers, ParseNumberSet(text));
  return OkStatus();
}

Result<tools::FilterOptions> OptionsOf(const TraceFilterArguments& arguments) {
  tools::FilterOptions options;
  RS_RETURN_IF_ERROR(ReadNumbers(arguments.ranks, options.ranks));
  RS_RETURN_IF_ERROR(ReadNumbers(arguments.steps, options.steps));
  RS_RETURN_IF_ERROR(ReadNumbers(arguments.streams, options.streams));
  if (!arguments.time.empty()) {
    RS_ASSIGN_OR_RETURN(const auto range, ParseTimeRange(arguments.time));
    options.time = {range.first, range.second};
  }
  if (!arguments.min_duration.empty()) {
    RS_ASSIGN_OR_RETURN(options.min_dur_ns, ParseDuration(arguments.min_duration));
  }
  if (!arguments.max_duration.empty()) {
    RS_ASSIGN_OR_RETURN(options.max_dur_ns, ParseDuration(arguments.max_duration));
  }
  options.categories = arguments.categories;
  options.names = arguments.names;
  options.python = !arguments.no_python;
  options.links = !arguments.no_links;
  options.threads = ThreadsFor(arguments.jobs);
  return options;
}

Status RunTraceFilter(const TraceFilterArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const tools::FilterOptions options, OptionsOf(arguments));
  RS_ASSIGN_OR_RETURN(const tools::FilterReport report,
                      tools::FilterTraces(arguments.path, options, arguments.output));
  for (const std::string& loss : report.losses) Tell(loss);
  const auto count = [](std::uint64_t events) {
    return GroupedInteger(static_cast<std::int64_t>(events));
  };
  Tell(fmt::format("kept {} of {} events", count(report.written.kept),
                   count(report.written.events)));
  return OpenTrace(arguments.open, arguments.output);
}

}  // namespace

void AddTraceFilter(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "filter", "copy a trace of any size with the events that satisfy all conditions");
  auto arguments = std::make_shared<TraceFilterArguments>();
  command.AddOption("PATH", arguments->path, "a trace file, also a merged one").Required();
  command
      .AddOption("-o,--output", arguments->output, "the copy; packed when it ends in .gz or .zst")
      .Type(kFileType)
      .Required();
  command.AddOption("--ranks,--rank", arguments->ranks,
                    "of a merged trace only these ranks, such as 0,4-7");
  command.AddOption("--steps,--step", arguments->steps,
                    "only these steps, such as 12,13; device work is in the step of its launch");
  command.AddOption("--time", arguments->time,
                    "only what overlaps this time from the first event on, such as 1.5s-2s");
  command
      .AddOption("--category", arguments->categories,
                 "only these categories, such as kernel,cuda_runtime")
      .Separator(',');
  command
      .AddOption("--name", arguments->names,
                 "only names like this pattern (* ? [a-z]), such as '*nccl*'; repeatable")
      .OneEach();
  command.AddOption("--streams,--stream", arguments->streams, "only work of these streams");
  command.AddOption("--min-duration", arguments->min_duration,
                    "only events that take as long, such as 20us");
  command.AddOption("--max-duration", arguments->max_duration,
                    "only events that take no longer, such as 1ms");
  command.AddFlag("--no-python", arguments->no_python, "no Python frames");
  command.AddFlag("--no-links", arguments->no_links,
                  "not the launches of kept device work, nor the work of kept launches");
  arguments->open.AddTo(command);
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer(
      "Example:\n  rankscope trace filter rank0.json.gz --step 12 --no-python -o step12.json.gz");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->path));
    return RunTraceFilter(*arguments);
  }));
}

}  // namespace rankscope::cli
