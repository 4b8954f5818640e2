#include "rerun/rerun.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "catalog/findings.h"
#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/work_folder.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct RerunArguments {
  rerun::RerunSpec spec;
  std::vector<std::string> environment;
  ServerArguments server;
  std::string model;
  int limit_s = 3600;
  std::string keep;
  std::string format = "text";
  std::string output;
};

// "NAME=VALUE" texts.
Status TakeEnvironment(const RerunArguments& arguments, rerun::Change* change) {
  for (const std::string& text : arguments.environment) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error(StatusCode::kInvalidArgument, "--env takes NAME=VALUE, not '{}'", text);
    change->environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return OkStatus();
}

// A server that is away is no reason to lose what was measured.
void KeepGain(const RerunArguments& arguments, const rerun::Outcome& outcome) {
  if (!arguments.server.is_given()) return;
  if (outcome.finding.empty() || !outcome.promise.pct || outcome.promise.is_bound ||
      !outcome.gain.low_pct) {
    Tell("the server keeps gains of findings that promised one, measured by three runs and more");
    return;
  }
  const auto kept = [&]() -> Status {
    RS_ASSIGN_OR_RETURN(client::Server server, arguments.server.Connect());
    return server.KeepGain({.finding = outcome.finding,
                            .model = arguments.model,
                            .promised_pct = *outcome.promise.pct,
                            .measured_pct = outcome.gain.pct});
  }();
  if (!kept.ok()) Tell(fmt::format("the gain is not kept: {}", kept.message()));
}

Result<ExitCode> RunRerun(const RerunArguments& arguments) {
  rerun::RerunSpec spec = arguments.spec;
  RS_RETURN_IF_ERROR(TakeEnvironment(arguments, &spec.change));
  const std::string& finding = spec.finding;
  if (const std::vector<std::string> names = catalog::FindingNames(Subject::kJob);
      !finding.empty() && std::ranges::find(names, finding) == names.end())
    return Error(StatusCode::kInvalidArgument, "{}", NoSuchFinding(finding, names));
  if (!spec.change.tree.empty() && spec.plan.source.empty())
    return Error(StatusCode::kInvalidArgument, "--changed needs --source, the program as it is");
  std::error_code error;
  spec.plan.folder = fs::current_path(error).string();
  if (error) return Error(StatusCode::kIo, "the current folder: {}", error.message());
  spec.plan.limit = std::chrono::seconds(arguments.limit_s);

  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(arguments.output));
  InterruptFlag interrupted;
  TerminalListener listener(interrupted);
  const rerun::Watch watch{.tell = [](const std::string& sentence) { Tell(sentence); },
                           .is_stopped = [&] { return interrupted.IsSet(); }};
  Result<rerun::Outcome> outcome = [&]() -> Result<rerun::Outcome> {
    RS_ASSIGN_OR_RETURN(const WorkFolder work, arguments.keep.empty()
                                                   ? WorkFolder::Temporary()
                                                   : WorkFolder::Named(arguments.keep, "--keep"));
    spec.plan.work = work.path();
    return rerun::Rerun(spec, watch, listener);
  }();
  if (!outcome.ok() && outcome.status().code() == StatusCode::kCancelled && interrupted.IsSet())
    interrupted.EndProcess();
  if (!outcome.ok()) return outcome.status();
  outcome->kept = arguments.keep;
  RS_RETURN_IF_ERROR(output->Write(arguments.format == "json" ? rerun::WriteOutcomeJson(*outcome)
                                                              : rerun::WriteOutcomeText(*outcome)));
  RS_RETURN_IF_ERROR(output->Finish());
  KeepGain(arguments, *outcome);
  return outcome->verdict == rerun::Verdict::kConfirmed ? kDone : kNotConfirmed;
}

}  // namespace

void AddRerun(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("rerun", "run a program with and without a change, and measure the gain");
  auto arguments = std::make_shared<RerunArguments>();
  rerun::Plan& plan = arguments->spec.plan;
  command
      .AddOption("--finding", arguments->spec.finding,
                 "that the change is for: what it promised is compared with what came")
      .Type(kFindingType);
  command
      .AddOption("--source", plan.source,
                 "the program's code; copies of it run, and the finding's patch is made in one")
      .Type(kFolderType);
  command
      .AddOption("--changed", arguments->spec.change.tree,
                 "the same with the change that somebody made: runs instead of a patch")
      .Type(kFolderType);
  command.AddOption("--env", arguments->environment, "NAME=VALUE, set after the change; repeatable")
      .Type("NAME=VALUE")
      .OneEach();
  command
      .AddOption("--runs", plan.runs,
                 "how often each side runs, in turns; fewer than three tell nothing")
      .Range(1, 1000)
      .ShowDefault();
  command.AddOption("--warmup", plan.warmup, "first steps of a run, which do not count")
      .Range(0, 1'000'000)
      .ShowDefault();
  command
      .AddOption("--steps", plan.steps,
                 "steps that are timed; then a run ends (default: all, until it ends by itself)")
      .Range(1, 1'000'000);
  command.AddOption("--record-steps", plan.recorded, "steps that are recorded; then that run ends")
      .Range(1, 1000)
      .ShowDefault();
  command.AddOption("--traces", plan.traces,
                    "traces that the command leaves itself, a pattern: rankscope records nothing");
  command.AddOption("--limit", arguments->limit_s, "seconds that a run may take")
      .Range(1, 1'000'000)
      .ShowDefault();
  command
      .AddOption("--keep", arguments->keep, "keep copies, recordings and logs in this new folder")
      .Type(kFolderType);
  arguments->server.AddTo(command, ServerArguments::Need::kMaybe);
  command.AddOption("--model", arguments->model,
                    "what it trains, for the server, which tells what changes of a model gain");
  command.AddOption("--format", arguments->format, "text or json")
      .OneOf({"text", "json"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddOption("COMMAND", plan.command, "the program and its arguments, behind --").Required();
  command.Footer(
      "Example:\n  rankscope rerun --finding host-sync --source . -- python3 train.py\n"
      "Exit code 0: the promised gain came; 4: it did not, or nobody can tell. The source is never "
      "written to.");
  command.SetRun(MakeActionWithCode([arguments] { return RunRerun(*arguments); }));
}

}  // namespace rankscope::cli
