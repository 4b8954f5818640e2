#include "cli/traces/stacks.h"

#include "app/traces/stacks.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"

namespace rankscope::cli {
namespace {

struct TraceStacksArguments {
  JobArguments job;
  app::StacksSpec stacks;
  std::string format = "collapsed";
  std::string weight = "device";
  std::string output;
};

Status RunTraceStacks(TraceStacksArguments& arguments) {
  app::StacksSpec& stacks = arguments.stacks;
  if (arguments.format == "speedscope") stacks.format = app::StacksSpec::Format::kSpeedscope;
  if (arguments.weight == "host") stacks.weight = app::StacksSpec::Weight::kHost;
  RS_ASSIGN_OR_RETURN(const app::JobSpec job, arguments.job.Spec());
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const std::string text, app::StacksOf(job, stacks, listener));
  return WriteOutput(arguments.output, text);
}

}  // namespace

void AddTraceStacks(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "stacks", "write call stacks of all ranks for flame graphs: Python, annotations, ops, calls");
  auto arguments = std::make_shared<TraceStacksArguments>();
  arguments->job.AddTo(command);
  command.AddFlag("--by-rank", arguments->stacks.by_rank,
                  "each rank's stacks inside a frame of its own; else ranks are added up");
  command
      .AddOption("--format", arguments->format,
                 "collapsed (flamegraph.pl) or speedscope (speedscope.app)")
      .OneOf({"collapsed", "speedscope"})
      .ShowDefault();
  command
      .AddOption("--weight", arguments->weight,
                 "device: durations of the kernels and copies launched; host: time of threads")
      .OneOf({"device", "host"})
      .ShowDefault();
  command
      .AddOption("--top", arguments->stacks.most, "so many stacks; the rest become one, (others)")
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.Footer(
      "Example:\n  rankscope trace stacks traces/ --steps 12 --format speedscope -o "
      "job.speedscope.json");
  command.SetRun(MakeAction([arguments] { return RunTraceStacks(*arguments); }));
}

}  // namespace rankscope::cli
