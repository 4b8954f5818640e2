// Causes that are a phase of the step: weight-sync, reward-wait, checkpoint-in-loop. Each stands
// from a share of the step on, and its gain is a bound: all of what the phase exposes.
#include <fmt/core.h>

#include <algorithm>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kLeastSync = 0.05, kLeastReward = 0.05, kLeastCheckpoint = 0.01;

// The role whose steps are the job's, where at least half of their time is told; else null, and
// what could not be looked for is said.
const RoleSteps* KnownPace(const Analysis& analysis, std::string_view id, Causes& causes) {
  const RoleSteps* pace = analysis.pace();
  if (pace != nullptr && 2 * pace->Mean(Phase::kUnknown) <= pace->MeanWall()) return pace;
  causes.unchecked.push_back(
      fmt::format("{}: {}", id,
                  pace == nullptr ? "needs steps with their times"
                                  : "the recording tells less than half of a step's time"));
  return nullptr;
}

// Bytes over time of recorded syncs that tell both.
std::optional<double> BytesPerS(const PostData& data) {
  double bytes = 0, ns = 0;
  for (const PhaseRecord& record : data.phases) {
    if (record.phase != Phase::kSync || !record.bytes) continue;
    bytes += *record.bytes;
    ns += static_cast<double>(record.end - record.begin);
  }
  return ns > 0 && bytes > 0 ? std::optional(bytes / ns * 1e9) : std::nullopt;
}

}  // namespace

// Weights from trainer to generator, and their resharding, take at least 5 % of the step.
void FindWeightSync(const Analysis& analysis, Causes& causes) {
  const RoleSteps* pace = KnownPace(analysis, "weight-sync", causes);
  if (pace == nullptr) return;
  const double sync = pace->Mean(Phase::kSync), reshard = pace->Mean(Phase::kReshard);
  const double share = (sync + reshard) / analysis.step();
  if (share < kLeastSync) return;
  Finding finding{.id = "weight-sync",
                  .lost_pct = 100 * share,
                  .gain_pct = 100 * share,
                  .gain_method = "bound"};
  finding.title = fmt::format("Bringing weights to the generator takes {} of each step",
                              HumanPercent(100 * share));
  finding.evidence =
      fmt::format("of a step of {} syncing takes {} and resharding, sleeping and waking {}",
                  HumanDuration(analysis.step()), HumanDuration(sync), HumanDuration(reshard));
  if (const auto rate = BytesPerS(analysis.data))
    finding.evidence += fmt::format("; {}/s by the recorded bytes", HumanBytes(*rate));
  finding.change =
      pace->kind == RoleKind::kColocated
          ? "Keep weights in the engine's layout or shared by CUDA IPC, send them in big buckets, "
            "and let the engine free its KV cache alone when it sleeps."
          : "Send weights by NCCL or RDMA in big buckets, one copy per node, while the generator "
            "still works, and sync less often where staleness allows it "
            "(trigger_parameter_sync_step).";
  finding.gain_formula = fmt::format("(S + reshard) / Z = {} / {}, all of it hidden",
                                     HumanDuration(sync + reshard), HumanDuration(analysis.step()));
  causes.findings.push_back(std::move(finding));
}

// Rewards and tools that nothing hides take at least 5 % of the step.
void FindRewardWait(const Analysis& analysis, Causes& causes) {
  const RoleSteps* pace = KnownPace(analysis, "reward-wait", causes);
  if (pace == nullptr) return;
  const double reward = pace->Mean(Phase::kReward);
  const double share = reward / analysis.step();
  if (share < kLeastReward) return;
  const double generation = analysis.overlap ? analysis.overlap->generate : reward;
  const double gain = std::min(reward, generation) / analysis.step();
  Finding finding{
      .id = "reward-wait", .lost_pct = 100 * share, .gain_pct = 100 * gain, .gain_method = "bound"};
  finding.title = fmt::format("Rewards and tools take {} of each step, behind generation",
                              HumanPercent(100 * share));
  finding.evidence = fmt::format("{} of a step of {}, in {} steps", HumanDuration(reward),
                                 HumanDuration(analysis.step()), pace->counted());
  finding.change =
      "Score each sample when it is finished, while others still generate (veRL "
      "reward_model.launch_reward_fn_async or the agent loop's own reward), with more processes, "
      "and with a limit of time for what runs code.";
  finding.gain_formula =
      fmt::format("min(R, G) / Z = {} / {}, all of it beside generation",
                  HumanDuration(std::min(reward, generation)), HumanDuration(analysis.step()));
  causes.findings.push_back(std::move(finding));
}

// Checkpoints take at least 1 % of all steps together.
void FindCheckpointInLoop(const Analysis& analysis, Causes& causes) {
  const RoleSteps* pace = KnownPace(analysis, "checkpoint-in-loop", causes);
  if (pace == nullptr) return;
  const double checkpoint = pace->Mean(Phase::kCheckpoint);
  const double share = checkpoint / analysis.step();
  if (share < kLeastCheckpoint) return;
  std::int64_t saving = 0, longest = 0;
  for (const RoleStep& step : pace->steps) {
    const std::int64_t time = At(step.phases, Phase::kCheckpoint);
    if (!step.is_counted || time == 0) continue;
    ++saving;
    longest = std::max(longest, time);
  }
  Finding finding{.id = "checkpoint-in-loop",
                  .lost_pct = 100 * share,
                  .gain_pct = 100 * share,
                  .gain_method = "bound"};
  finding.title = fmt::format("All roles wait while checkpoints are saved, {} of the time",
                              HumanPercent(100 * share));
  finding.evidence = fmt::format("{} of {} steps save, up to {}", saving, pace->counted(),
                                 HumanDuration(static_cast<double>(longest)));
  finding.change =
      "Save asynchronously (torch.distributed.checkpoint.async_save, Megatron's --async-save), "
      "from all ranks to local disks first, or less often.";
  finding.gain_formula = fmt::format("checkpoint / Z = {} / {} a step", HumanDuration(checkpoint),
                                     HumanDuration(analysis.step()));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::post_training
