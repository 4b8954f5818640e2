#include "app/traces/info.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "cli/traces/convert.h"
#include "cli/traces/filter.h"
#include "cli/traces/merge.h"
#include "cli/traces/scrub.h"
#include "cli/traces/split.h"
#include "cli/traces/stacks.h"

namespace rankscope::cli {
namespace {

struct TraceArguments {
  std::vector<std::string> paths;
  std::string format = "text";
  std::string output;
  int jobs = 1;
};

Status RunTrace(const TraceArguments& arguments) {
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const app::TraceInfos infos,
                      app::InfoOfTraces(arguments.paths,
                                        arguments.format == "json" ? app::InfoFormat::kJson
                                                                   : app::InfoFormat::kText,
                                        arguments.jobs, listener));
  RS_RETURN_IF_ERROR(WriteOutput(arguments.output, infos.text));
  return infos.status;
}

}  // namespace

void AddTrace(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("trace", "look at single trace files");
  CommandSpec& info =
      command.AddCommand("info", "say what is in trace files, and what is wrong with them");
  auto arguments = std::make_shared<TraceArguments>();
  info.AddOption("PATH", arguments->paths, "trace files, folders or globs; - is standard input")
      .Required();
  info.AddOption("--format", arguments->format, "text or json")
      .OneOf({"text", "json"})
      .ShowDefault();
  info.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  info.AddOption("--jobs,-j", arguments->jobs, "threads to use").Range(1, 1024);
  info.Footer("Example:\n  rankscope trace info rank0.pt.trace.json.gz");
  info.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->paths));
    return RunTrace(*arguments);
  }));
  AddTraceStacks(command);
  AddTraceConvert(command);
  AddTraceFilter(command);
  AddTraceSplit(command);
  AddTraceMerge(command);
  AddTraceScrub(command);
}

}  // namespace rankscope::cli
