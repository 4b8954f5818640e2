#include "sim/simulate.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "cli/base/progress.h"
#include "sim/model/job_defaults.h"

namespace rankscope::cli {
namespace {

// Options as they are typed.
struct Typed {
  sim::SimulateOptions options;
  double clock_offset_us = 0;
  double clock_drift_ppm = 0;
  std::vector<std::string> planted;
  std::string job = "ddp";
  std::string layout;
  std::string missing_ranks;
  bool plain_group_names = false;
  bool no_group_names = false;
  bool ranks_given = false;
  int slow_rank = -1;
  double slow_factor = 1.5;
  bool plain = false;
};

Status SlowRank(const Typed& typed, sim::SimulateOptions* options) {
  if (typed.slow_rank == -1) return OkStatus();
  if (typed.slow_rank < 0 || typed.slow_rank >= options->ranks) {
    return Error(StatusCode::kInvalidArgument,
                 "slow rank: {} is out of range: -1 (none) or a rank of the job", typed.slow_rank);
  }
  if (!(typed.slow_factor >= 1 && typed.slow_factor <= 1000)) {
    return Error(StatusCode::kInvalidArgument, "slow factor: {} is out of range: 1 to 1000",
                 typed.slow_factor);
  }
  options->causes.push_back({.cause = sim::CauseId::kSlowGpu,
                             .severity = typed.slow_factor - 1,
                             .ranks = {typed.slow_rank},
                             .steps = {}});
  return OkStatus();
}

std::string CauseHelp() {
  std::string text =
      "Causes that can be planted. Steps count from 0; several ranks or steps: 0-3+7.\n";
  for (const sim::CauseInfo& info : sim::CauseTable()) {
    text += fmt::format("  {:<26}{}\n  {:<26}ranks: {}; severity: {}; default {}\n", info.name,
                        info.what, "", sim::DefaultPlace(info.scope), info.severity,
                        info.default_severity);
  }
  return text;
}

Result<sim::SimulateOptions> OptionsOf(const Typed& typed) {
  sim::SimulateOptions options = typed.options;
  const auto job = sim::JobKindOf(typed.job);
  if (!job) {
    return Error(StatusCode::kInvalidArgument, "job: there is no '{}'; there are: {}", typed.job,
                 fmt::join(sim::JobKindNames(), ", "));
  }
  options.job = *job;
  if (*job == sim::JobKind::kSingle && !typed.ranks_given) options.ranks = 1;
  RS_RETURN_IF_ERROR(sim::ParseLayout(typed.layout, &options));
  if (typed.ranks_given && options.ranks != typed.options.ranks) {
    return Error(StatusCode::kInvalidArgument,
                 "layout: '{}' has {} ranks, but --ranks asks for {}: leave out one of them",
                 typed.layout, options.ranks, typed.options.ranks);
  }
  options.compress = !typed.plain;
  options.clock_offset_max_ns = static_cast<std::int64_t>(typed.clock_offset_us * 1000);
  options.clock_drift_max_ppb = static_cast<std::int64_t>(typed.clock_drift_ppm * 1000);
  if (typed.plain_group_names) options.group_names = sim::GroupNames::kUndefined;
  if (typed.no_group_names) options.group_names = sim::GroupNames::kNone;
  if (!typed.missing_ranks.empty()) {
    RS_ASSIGN_OR_RETURN(options.missing_ranks, sim::ParseNumbers(typed.missing_ranks));
  }
  RS_RETURN_IF_ERROR(SlowRank(typed, &options));
  for (const std::string& text : typed.planted) {
    RS_ASSIGN_OR_RETURN(auto planted, sim::ParsePlantedCause(text));
    options.causes.push_back(std::move(planted));
  }
  return options;
}

Status RunSimulate(const sim::SimulateOptions& options) {
  ProgressLine line;
  const auto total = static_cast<std::uint64_t>(options.ranks) - options.missing_ranks.size();
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  RS_RETURN_IF_ERROR(sim::Simulate(options, [&](const sim::SimulateProgress& progress) {
    events = progress.events;
    bytes = progress.text_bytes;
    const auto written = static_cast<std::uint64_t>(progress.ranks_written);
    line.Update(fmt::format("writing rank {} of {}", written, total), bytes,
                written == 0 ? 0 : bytes / written * total);
  }));
  Tell(fmt::format("{}: {} ranks, {} events, {} bytes of JSON", options.out_folder, total, events,
                   bytes));
  return OkStatus();
}

}  // namespace

void AddSimulate(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("simulate", "write the traces of a simulated training job with known truth");
  auto typed = std::make_shared<Typed>();
  sim::SimulateOptions& options = typed->options;
  command.AddOption("OUT", options.out_folder, "folder for the traces and truth.json")
      .Type(kFolderType)
      .Required();
  command.AddOption("--job", typed->job, "kind of job (docs/simulate.md)")
      .Offers(sim::JobKindNames())
      .ShowDefault();

  command.AddOption("--ranks", options.ranks, "number of ranks")
      .ShowDefault()
      .TellGiven(typed->ranks_given);
  command.AddOption("--layout", typed->layout,
                    "parallel dimensions, for example tp=2,cp=2,pp=4,dp=2; their product is "
                    "the number of ranks");
  command.AddOption("--micro-batches", options.micro_batches,
                    "forward and backward passes per step (default: as the job needs)");
  command
      .AddOption("--virtual-stages", options.virtual_stages,
                 "chunks of layers per pipeline stage, run in turns (interleaved 1F1B)")
      .ShowDefault();
  command.AddFlag("--telemetry", options.telemetry,
                  "with what an agent would tell of hosts and devices (docs/telemetry.md)");
  command.AddFlag("--coalesced-sends", options.coalesced_sends,
                  "stages send as batch_isend_irecv does: kernels state no peer");
  command.AddOption("--steps", options.steps, "steps per rank").ShowDefault();
  command.AddOption("--events", options.events_per_rank, "events per rank, met within 10%")
      .ShowDefault();
  command.AddOption("--seed", options.seed, "the same seed gives the same job").ShowDefault();
  command
      .AddOption("--plant", typed->planted,
                 "plant a cause of slowness (below): ID[:rank=3,steps=2-4,severity=0.3]; "
                 "repeatable")
      .Repeatable()
      .Count(1, 1)
      .Type(kCauseType);
  command
      .AddOption("--clock-offset-us", typed->clock_offset_us,
                 "let each rank's clock be off by up to this")
      .Range(0.0, 1e9);
  command
      .AddOption("--clock-drift-ppm", typed->clock_drift_ppm,
                 "let each rank's clock gain or lose up to this")
      .Range(0.0, 1000.0);
  command.AddFlag("--plain-group-names", typed->plain_group_names,
                  "describe every process group as undefined");
  command.AddFlag("--no-group-names", typed->no_group_names,
                  "write no process groups and no arguments of collectives");
  command.AddFlag("--cuda-graphs", options.cuda_graphs,
                  "replay the layers from CUDA graphs; ddp, single and post-training jobs");
  command.AddFlag("--run-ahead", options.run_ahead,
                  "read no loss back: hosts do not wait for their devices at the end of a step");
  command.AddFlag("--stacks", options.stacks, "write Python frames, as with_stack=True does");
  command.AddOption("--missing-ranks", typed->missing_ranks,
                    "ranks that are simulated but not written, for example 3 or 4-7");
  command.AddOption("--slow-rank", typed->slow_rank,
                    "this rank's device computes slower: --plant slow-gpu in short");
  command.AddOption("--slow-factor", typed->slow_factor, "how much slower").ShowDefault();
  command.AddOption("--jobs,-j", options.threads, "threads to use (default: one per core)");
  command.AddFlag("--plain", typed->plain, "write .json instead of .json.gz");
  command.Footer(
      "Example:\n  rankscope simulate demo/ --ranks 8 --steps 5 --plant slow-gpu:rank=3\n\n" +
      CauseHelp());
  command.SetRun(MakeAction([typed]() -> Status {
    RS_ASSIGN_OR_RETURN(const sim::SimulateOptions asked, OptionsOf(*typed));
    return RunSimulate(asked);
  }));
}

}  // namespace rankscope::cli
