#include "cli/traces/convert.h"

#include "app/traces/convert.h"
#include "cli/arguments/durations.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/open_in.h"
#include "cli/base/standard_input.h"

namespace rankscope::cli {
namespace {

struct TraceConvertArguments {
  std::string path;
  std::string output;
  std::string overlay;
  bool only = false;
  int jobs = 0;
  KernelClassesArgument kernel_classes;
  OpenArgument open;
};

Status Convert(const TraceConvertArguments& arguments) {
  const int threads = ThreadsFor(arguments.jobs);
  if (!arguments.overlay.empty())
    return app::OverlayCriticalPath(
        arguments.path, arguments.output,
        {.only_path = arguments.only, .kernel_classes_file = arguments.kernel_classes.path()},
        threads);
  if (arguments.only)
    return Error(StatusCode::kInvalidArgument, "--only goes with --overlay critical-path");
  if (!arguments.output.ends_with(".parquet")) {
    TerminalListener listener;
    return app::ConvertTrace(arguments.path, arguments.output, threads, listener);
  }
  // Statements end in good order, so that what they spilled is removed.
  const InterruptFlag interrupted;
  TerminalListener listener(interrupted);
  const Status converted = app::ConvertTrace(arguments.path, arguments.output, threads, listener);
  if (interrupted.IsSet()) interrupted.EndProcess();
  return converted;
}

Status RunTraceConvert(const TraceConvertArguments& arguments) {
  RS_RETURN_IF_ERROR(Convert(arguments));
  return OpenTrace(arguments.open, arguments.output);
}

}  // namespace

void AddTraceConvert(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "convert", "copy one trace into another form, or with its critical path laid over it");
  auto arguments = std::make_shared<TraceConvertArguments>();
  command.AddOption("PATH", arguments->path, "a trace file").Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the copy: .json, .json.gz, .json.zst, .pftrace (Perfetto) or .parquet")
      .Type(kFileType)
      .Required();
  command
      .AddOption("--overlay", arguments->overlay,
                 "critical-path: rows on it get the argument critical = 1, a process on top "
                 "shows it, arrows follow it")
      .OneOf({"critical-path"});
  command.AddFlag("--only", arguments->only,
                  "of the overlay: leave out all rows and arrows beside the path");
  arguments->kernel_classes.AddTo(command);
  arguments->open.AddTo(command);
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer(
      "Example:\n  rankscope trace convert rank0.json.gz -o rank0.json.zst\n"
      "  rankscope trace convert rank0.json.gz --overlay critical-path -o "
      "rank0.critical.json.gz");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->path));
    return RunTraceConvert(*arguments);
  }));
}

}  // namespace rankscope::cli
