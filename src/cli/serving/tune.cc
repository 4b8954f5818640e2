#include "tune/run/tuner.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "cli/arguments/durations.h"
#include "cli/arguments/request_arguments.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/own_program.h"
#include "cli/base/work_folder.h"
#include "cli/serving/load_view.h"
#include "cli/serving/tune_on_server.h"
#include "serving/objective.h"
#include "tune/adapter/built_in.h"
#include "tune/run/plan.h"
#include "tune/subject/guard.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct TuneArguments {
  tune::TuneSpec spec;
  std::string adapter;
  std::vector<std::string> settings;
  RequestArguments what;
  std::string objective;
  std::string duration = "60s", drain = "60s", timeout = "600s", canary = "120s";
  double rate = 0, top = 0, canary_rate = -1;
  int users = 0;
  std::string arrivals = "poisson";
  bool is_dry = false;
  std::string show, restore, guard;
  std::string keep, format = "text", output;
  TuneOnServer shown;
};

Result<tune::LoadMode> ModeOf(const TuneArguments& arguments, tune::TuneSpec& spec) {
  const int named = (arguments.rate > 0) + (arguments.users > 0) + !spec.load.replay.empty() +
                    (arguments.top > 0);
  if (named > 1)
    return Error(StatusCode::kInvalidArgument,
                 "one of --rate, --top, --users and --replay says what a trial sends");
  spec.per_s = arguments.rate > 0 ? arguments.rate : arguments.top;
  spec.users = arguments.users;
  if (arguments.rate > 0) return tune::LoadMode::kRate;
  if (arguments.users > 0) return tune::LoadMode::kUsers;
  return spec.load.replay.empty() ? tune::LoadMode::kRamp : tune::LoadMode::kReplay;
}

Result<tune::TuneSpec> SpecOf(const TuneArguments& arguments) {
  tune::TuneSpec spec = arguments.spec;
  if (arguments.adapter.empty())
    return Error(StatusCode::kInvalidArgument,
                 "an adapter is needed: a file, or a name of --show's list");
  RS_ASSIGN_OR_RETURN(spec.adapter, tune::OpenAdapter(arguments.adapter));
  for (const std::string& setting : arguments.settings)
    RS_RETURN_IF_ERROR(tune::SetInAdapter(spec.adapter, setting));
  RS_RETURN_IF_ERROR(arguments.what.TakeInto(spec.load));
  RS_ASSIGN_OR_RETURN(spec.mode, ModeOf(arguments, spec));
  if (!arguments.objective.empty()) {
    RS_ASSIGN_OR_RETURN(spec.load.objective, serving::ParseObjective(arguments.objective));
  }
  RS_ASSIGN_OR_RETURN(spec.duration, ParseDuration(arguments.duration));
  if (spec.duration <= 0)
    return Error(StatusCode::kInvalidArgument, "--duration takes a time above 0");
  RS_ASSIGN_OR_RETURN(spec.load.drain, ParseDuration(arguments.drain));
  RS_ASSIGN_OR_RETURN(spec.load.request_time, ParseDuration(arguments.timeout));
  RS_ASSIGN_OR_RETURN(spec.canary, ParseDuration(arguments.canary));
  spec.load.arrivals = ArrivalsOf(arguments.arrivals);
  if (arguments.canary_rate >= 0) spec.canary_per_s = arguments.canary_rate;
  RS_ASSIGN_OR_RETURN(spec.program, OwnProgram());
  spec.guard = {spec.program, "tune", "--guard"};
  return spec;
}

// A search that was killed goes on in its folder; any other begins in an empty one.
Result<WorkFolder> FolderOf(const std::string& keep) {
  if (keep.empty()) return WorkFolder::Temporary();
  std::error_code error;
  const bool goes_on =
      fs::exists(keep + "/plan.json", error) || fs::exists(keep + "/diagnosis", error);
  return goes_on ? WorkFolder::Existing(keep) : WorkFolder::Named(keep, "--keep");
}

std::string WriteTune(const tune::Outcome& outcome, const TuneArguments& arguments) {
  if (arguments.format == "json") return tune::WriteTuneJson(outcome);
  if (arguments.format == "markdown") return tune::WriteTuneMarkdown(outcome);
  return tune::WriteTuneText(outcome, arguments.output.empty() && TakesColour());
}

tune::TuneWatch WatchOf(LoadView& view, const InterruptFlag& interrupted,
                        std::function<void()> reports) {
  tune::TuneWatch watch;
  watch.tell = [&view](const std::string& sentence) {
    view.Clear();
    Tell(sentence);
  };
  watch.begins = [&view](const tune::TrialView& trial) {
    view.Entitle(fmt::format("trial {} of {}, {}: {}", trial.number, trial.trials, trial.stage,
                             trial.settings));
  };
  watch.ends = [&view](const tune::TrialView& trial, const std::string& result) {
    view.Clear();
    WriteToStderr(fmt::format("{:>3}/{} {:<9} {}  {}\n", trial.number, trial.trials, trial.stage,
                              trial.settings, result));
  };
  watch.reports = std::move(reports);
  if (view.is_terminal())
    watch.level.live = [&view](const load::LiveNumbers& numbers) { view.Show(numbers); };
  watch.is_stopped = [&interrupted] { return interrupted.IsSet(); };
  return watch;
}

ExitCode CodeOf(const tune::Outcome& outcome) {
  switch (outcome.applied) {
    case tune::ApplyState::kBroken:
      return kNotConfirmed;
    case tune::ApplyState::kFailed:
      return kCouldNot;
    case tune::ApplyState::kNotAsked:
    case tune::ApplyState::kNothingBetter:
    case tune::ApplyState::kKept:
      break;
  }
  return kDone;
}

Result<ExitCode> RunTrials(TuneArguments& arguments, tune::TuneSpec spec) {
  // Whether the report can be written is not to be found out behind hours of trials.
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(arguments.output));
  const InterruptFlag interrupted;
  Result<tune::Outcome> outcome = [&]() -> Result<tune::Outcome> {
    RS_ASSIGN_OR_RETURN(const WorkFolder work, FolderOf(arguments.keep));
    spec.folder = work.path();
    RS_RETURN_IF_ERROR(arguments.shown.Begin(spec.adapter.name, arguments.objective, interrupted));
    LoadView view;
    auto tuned =
        tune::Tune(spec, WatchOf(view, interrupted, [&] { arguments.shown.Report(spec.folder); }));
    arguments.shown.ReportLast(spec.folder);
    return tuned;
  }();
  if (!outcome.ok() && outcome.status().code() == StatusCode::kCancelled && interrupted.IsSet())
    interrupted.EndProcess();
  if (!outcome.ok()) return outcome.status();
  outcome->kept = arguments.keep;
  RS_RETURN_IF_ERROR(output->Write(WriteTune(*outcome, arguments)));
  RS_RETURN_IF_ERROR(output->Finish());
  if (outcome->was_stopped) interrupted.EndProcess();
  return CodeOf(*outcome);
}

Result<ExitCode> ShowTune(const std::string& name) {
  const tune::BuiltInAdapter* const adapter = tune::FindBuiltInAdapter(name);
  if (adapter != nullptr) {
    RS_RETURN_IF_ERROR(WriteOutput("", std::string(adapter->text)));
    return kDone;
  }
  return tune::OpenAdapter(name).status();
}

Result<ExitCode> Restore(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const bool was_changed, tune::RestoreLease(folder));
  Tell(fmt::format("{}: the service has its old settings {}", folder,
                   was_changed ? "again" : "already"));
  return kDone;
}

Result<ExitCode> RunTune(TuneArguments& arguments) {
  if (!arguments.guard.empty()) {
    RS_RETURN_IF_ERROR(tune::GuardMain(arguments.guard));
    return kDone;
  }
  if (!arguments.show.empty()) return ShowTune(arguments.show);
  if (!arguments.restore.empty()) return Restore(arguments.restore);
  RS_ASSIGN_OR_RETURN(tune::TuneSpec spec, SpecOf(arguments));
  if (arguments.is_dry) {
    RS_ASSIGN_OR_RETURN(const std::string plan, tune::PlanOf(spec));
    RS_RETURN_IF_ERROR(WriteOutput(arguments.output, plan));
    return kDone;
  }
  return RunTrials(arguments, std::move(spec));
}

std::vector<std::string> AdapterNames() {
  std::vector<std::string> names;
  for (const tune::BuiltInAdapter& one : tune::BuiltInAdapters()) names.emplace_back(one.name);
  return names;
}

void AddLoadOptions(CommandSpec& command, TuneArguments& arguments) {
  command
      .AddOption("--slo", arguments.objective,
                 "limits that good requests keep, such as ttft=500ms,tpot=50ms,e2e=10s")
      .Type("LIMITS");
  command
      .AddOption("--top", arguments.top,
                 "each trial's rate rises from 0 to this (default: 2.5 times what is borne now)")
      .Type("RATE")
      .Positive();
  command.AddOption("--rate", arguments.rate, "in place of it one rate, requests a second")
      .Type("RATE")
      .Positive();
  command.AddOption("--users", arguments.users, "in place of it so many requests at once")
      .Range(1, 100'000);
  CommandOption& replay =
      command
          .AddOption(
              "--replay", arguments.spec.load.replay,
              "in place of it a recorded trace of requests: Azure, Mooncake, BurstGPT, Vidur")
          .Type(kFileType);
  command.AddOption("--speed", arguments.spec.load.replay_speed, "of the trace: 2 is twice as fast")
      .Positive()
      .ShowDefault()
      .Needs(replay);
  command.AddOption("--duration", arguments.duration, "that a trial sends")
      .Type("TIME")
      .ShowDefault();
  command.AddOption("--arrivals", arguments.arrivals, "how requests of a rate come")
      .OneOf({"poisson", "constant", "gamma"})
      .ShowDefault();
  command
      .AddOption("--variation", arguments.spec.load.variation,
                 "coefficient of variation of gamma arrivals; above 1 they come in bursts")
      .Range(0.1, 20.0)
      .ShowDefault();
  command.AddOption("--seed", arguments.spec.load.seed, "the same seed gives the same requests")
      .ShowDefault();
  command.AddOption("--timeout", arguments.timeout, "then a request has failed")
      .Type("TIME")
      .ShowDefault();
  command.AddOption("--drain", arguments.drain, "for the last answers of a trial")
      .Type("TIME")
      .ShowDefault();
  arguments.what.AddTo(command);
}

void AddChangeOptions(CommandSpec& command, TuneArguments& arguments) {
  command.AddFlag("--on-service", arguments.spec.tries_service,
                  "trials may change and load the service, of an adapter that has nothing else; it "
                  "gets its old settings back");
  command.AddFlag("--apply", arguments.spec.applies,
                  "give the service of the adapter what is better, as a canary with a way back");
  command.AddOption("--canary", arguments.canary, "how long it is watched")
      .Type("TIME")
      .ShowDefault();
  command
      .AddOption("--canary-rate", arguments.canary_rate,
                 "requests a second of rankscope's own to the service meanwhile (default: a tenth "
                 "of what is borne now); 0: none")
      .Type("RATE")
      .NonNegative();
  command
      .AddOption("--restore", arguments.restore,
                 "put the old settings of a service back, by the lease in this folder")
      .Type(kFolderType);
  command
      .AddOption("--guard", arguments.guard,
                 "what tune starts beside itself: by orders from standard input it changes the "
                 "service of the lease in this folder, and puts it back when the input ends")
      .Type(kFolderType);
}

}  // namespace

void AddTune(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "tune", "search the settings with which a serving program bears the most requests");
  auto arguments = std::make_shared<TuneArguments>();
  command
      .AddOption("ADAPTER", arguments->adapter,
                 "how the program is started and what may be changed: a file, or a name of --show")
      .Type(kFileType);
  command.AddOption(
      "ARGUMENTS", arguments->spec.arguments,
      "behind --: more arguments for the program, where the adapter has ${arguments}");
  command
      .AddOption("--show", arguments->show,
                 "print an adapter that comes with rankscope, to begin with")
      .OneOf(AdapterNames());
  command
      .AddOption("--set", arguments->settings,
                 "NAME=VALUE: a value of the adapter, or what a parameter is now; repeatable")
      .Type("NAME=VALUE")
      .OneEach();
  command.AddOption("--trials", arguments->spec.trials, "runs of the program under load, at most")
      .Range(13, 201)
      .ShowDefault();
  command.AddFlag("--dry-run", arguments->is_dry, "say what would be done, and start nothing");
  AddLoadOptions(command, *arguments);
  AddChangeOptions(command, *arguments);
  command
      .AddOption("--keep", arguments->keep,
                 "keep journal, logs and recordings in this folder; a run that was killed goes on "
                 "by it")
      .Type(kFolderType);
  arguments->shown.AddTo(command);
  command.AddOption("--format", arguments->format, "text, json or markdown")
      .OneOf({"text", "json", "markdown"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write the report to this file")
      .Type(kFileType);
  command.Footer(
      "Example:\n  rankscope tune simulate-server --slo ttft=1s,tpot=50ms --dry-run\n  rankscope "
      "tune vllm --set model=meta-llama/Llama-3.1-8B --slo ttft=1s,tpot=50ms\n  rankscope tune "
      "my-server.toml --slo e2e=2s --apply --keep tuned/\n"
      "Exit code 4: the canary broke, and the service has its old settings.");
  command.SetRun(MakeActionWithCode([arguments] { return RunTune(*arguments); }));
}

}  // namespace rankscope::cli
