#include "cli/traces/merge.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "app/traces/merge.h"
#include "cli/arguments/durations.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"

namespace rankscope::cli {
namespace {

struct TraceMergeArguments {
  std::vector<std::string> paths;
  std::string output;
  bool no_align = false;
  int jobs = 0;
};

Status RunTraceMerge(const TraceMergeArguments& arguments) {
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const app::Merged merged,
                      app::MergeTraces(arguments.paths,
                                       arguments.no_align ? app::MergedClocks::kAsRecorded
                                                          : app::MergedClocks::kAligned,
                                       arguments.output, ThreadsFor(arguments.jobs), listener));
  if (!merged.unaligned.empty())
    Tell(
        fmt::format("clocks of these ranks stay as they were recorded, since no collective links "
                    "them with others: {}",
                    fmt::join(merged.unaligned, ", ")));
  Tell(fmt::format("merged {} traces, {} events", merged.traces, merged.events));
  return OkStatus();
}

}  // namespace

void AddTraceMerge(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "merge",
      "write the traces of several ranks as one, on one time line; rankscope reads it as "
      "the separate ranks");
  auto arguments = std::make_shared<TraceMergeArguments>();
  command
      .AddOption("PATH", arguments->paths,
                 "trace files, folders or globs; pieces of a split trace become the whole")
      .Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the merged trace; packed when it ends in .gz or .zst")
      .Type(kFileType)
      .Required();
  command.AddFlag("--no-align", arguments->no_align,
                  "clocks as they were recorded; else moved by what the ends of collectives say");
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer("Example:\n  rankscope trace merge traces/ -o merged.json.gz");
  command.SetRun(MakeAction([arguments] { return RunTraceMerge(*arguments); }));
}

}  // namespace rankscope::cli
