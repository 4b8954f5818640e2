#include "rerun/record.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/messages.h"
#include "cli/base/work_folder.h"

namespace rankscope::cli {
namespace {

Status RunRecord(rerun::RecordSpec spec, const std::string& named) {
  std::error_code error;
  spec.folder = std::filesystem::current_path(error).string();
  if (error) return Error(StatusCode::kIo, "the current folder: {}", error.message());
  RS_ASSIGN_OR_RETURN(const WorkFolder out, WorkFolder::Named(named, "--output"));
  spec.out = out.path();
  InterruptFlag interrupted;
  const auto traces = [&]() -> Result<std::vector<std::string>> {
    RS_ASSIGN_OR_RETURN(const WorkFolder hooks, WorkFolder::Temporary());
    spec.work = hooks.path();
    return rerun::Record(spec, [&] { return interrupted.IsSet(); });
  }();
  if (!traces.ok() && traces.status().code() == StatusCode::kCancelled) interrupted.EndProcess();
  if (!traces.ok()) return traces.status();
  Tell(fmt::format("{} in {}; rankscope {} says what they show",
                   traces->size() == 1 ? "1 trace" : fmt::format("{} traces", traces->size()),
                   named, named));
  return OkStatus();
}

}  // namespace

void AddRecord(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("record", "run a program and record some of its training steps");
  auto spec = std::make_shared<rerun::RecordSpec>();
  auto out = std::make_shared<std::string>("traces");
  command.AddOption("-o,--output", *out, "a new or empty folder for the traces")
      .Type(kFolderType)
      .ShowDefault();
  command.AddOption("--warmup", spec->warmup, "steps before the first that is recorded")
      .Range(1, 1'000'000)
      .ShowDefault();
  command.AddOption("--steps", spec->steps, "steps that are recorded").Range(1, 1000).ShowDefault();
  command.AddFlag("--stop", spec->ends_behind,
                  "end the program behind them; else it runs to its end");
  command.AddOption("COMMAND", spec->command, "the program and its arguments, behind --")
      .Required();
  command.Footer(
      "Example:\n  rankscope record -- torchrun --nproc_per_node 8 train.py\n  rankscope traces/\n"
      "For PyTorch, from outside: the program is not changed. Of jobs that run already and of "
      "whole "
      "clusters the agent records (docs/agent.md).");
  command.SetRun(MakeAction([spec, out] { return RunRecord(*spec, *out); }));
}

}  // namespace rankscope::cli
