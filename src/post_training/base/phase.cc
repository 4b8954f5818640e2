#include "post_training/base/phase.h"

#include <algorithm>
#include <utility>

namespace rankscope::post_training {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kNames = {
    "generate", "wait",    "train",      "log_prob", "reward",
    "sync",     "reshard", "checkpoint", "other",    "unknown"};

struct Alias {
  std::string_view name;
  Phase phase;
};
constexpr auto kAliases = std::to_array<Alias>({
    {"gen", Phase::kGenerate},
    {"generation", Phase::kGenerate},
    {"generate_sequences", Phase::kGenerate},
    {"rollout", Phase::kGenerate},
    {"wait_for_samples", Phase::kWait},
    {"wait_samples", Phase::kWait},
    {"wait_prev_gen", Phase::kWait},
    {"waiting_for_buffer", Phase::kWait},
    {"idle", Phase::kWait},
    {"update", Phase::kTrain},
    {"update_actor", Phase::kTrain},
    {"update_critic", Phase::kTrain},
    {"train_step", Phase::kTrain},
    {"logprob", Phase::kLogProb},
    {"old_log_prob", Phase::kLogProb},
    {"ref", Phase::kLogProb},
    {"ref_log_prob", Phase::kLogProb},
    {"RefPolicy", Phase::kLogProb},
    {"values", Phase::kLogProb},
    {"reward_tools", Phase::kReward},
    {"tools", Phase::kReward},
    {"tool_calls", Phase::kReward},
    {"update_weights", Phase::kSync},
    {"sync_rollout_weights", Phase::kSync},
    {"param_sync", Phase::kSync},
    {"weight_sync", Phase::kSync},
    {"wake", Phase::kReshard},
    {"wake_up", Phase::kReshard},
    {"sleep", Phase::kReshard},
    {"save_checkpoint", Phase::kCheckpoint},
    {"adv", Phase::kOther},
    {"testing", Phase::kOther},
    {"validate", Phase::kOther},
});

}  // namespace

std::string_view ToString(Phase phase) { return kNames[static_cast<std::size_t>(phase)]; }

std::optional<Phase> PhaseOf(std::string_view name) {
  for (std::size_t i = 0; i < kPhaseCount; ++i)
    if (kNames[i] == name) return static_cast<Phase>(i);
  const auto found = std::ranges::find(kAliases, name, &Alias::name);
  return found == kAliases.end() ? std::nullopt : std::optional(found->phase);
}

bool IsIdle(Phase phase) {
  return phase == Phase::kWait || phase == Phase::kReward || phase == Phase::kCheckpoint;
}

}  // namespace rankscope::post_training
