#include "cli/traces/split.h"

#include <fmt/core.h>

#include "base/number_set.h"
#include "cli/arguments/durations.h"
#include "cli/base/messages.h"
#include "tools/split.h"

namespace rankscope::cli {
namespace {

struct TraceSplitArguments {
  std::string path;
  std::string output;
  std::string size;
  int jobs = 0;
};

Status RunTraceSplit(const TraceSplitArguments& arguments) {
  tools::SplitOptions options;
  options.threads = ThreadsFor(arguments.jobs);
  if (!arguments.size.empty()) {
    RS_ASSIGN_OR_RETURN(options.piece_bytes, ParseByteSize(arguments.size));
    if (options.piece_bytes == 0)
      return Error(StatusCode::kInvalidArgument, "--size takes a size above 0, such as 200M");
  }
  RS_ASSIGN_OR_RETURN(const tools::SplitReport report,
                      tools::SplitTrace(arguments.path, arguments.output, options));
  for (const std::string& loss : report.losses) Tell(loss);
  Tell(fmt::format("wrote {} files to {}", report.files.size(), arguments.output));
  return OkStatus();
}

}  // namespace

void AddTraceSplit(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "split", "write a trace of any size as several, by step or by size; merge undoes it");
  auto arguments = std::make_shared<TraceSplitArguments>();
  command.AddOption("PATH", arguments->path, "a trace file, also a merged one").Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the folder for the pieces, which are named and packed as the trace is")
      .Type(kFolderType)
      .Required();
  command.AddOption("--size", arguments->size,
                    "pieces of at most so much text, such as 200M (default: a piece per step)");
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer("Example:\n  rankscope trace split rank0.json.gz --size 200M -o pieces/");
  command.SetRun(MakeAction([arguments] { return RunTraceSplit(*arguments); }));
}

}  // namespace rankscope::cli
