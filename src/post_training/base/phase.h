// How a role of a post-training run spends its time. The phases of a step partition its wall time:
// they sum to it exactly. Time that no recording explains is kUnknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::post_training {

enum class Phase : std::uint8_t {
  kGenerate,    // the engine generates samples
  kWait,        // trainer for samples; generator for weights, or when too far ahead
  kTrain,       // forward, backward, optimizer of actor and critic
  kLogProb,     // old and reference log-probabilities, values: forward passes without gradients
  kReward,      // reward functions and models, tools
  kSync,        // weights from trainer to generator
  kReshard,     // engine sleeps, wakes or loads weights into its own layout
  kCheckpoint,  // saving in the loop
  kOther,       // named by the recording, but none of these: advantages, validation
  kUnknown,     // not recorded
};
inline constexpr std::size_t kPhaseCount = 10;

// "generate", "wait", "train", "log_prob", "reward", "sync", "reshard", "checkpoint", "other",
// "unknown".
std::string_view ToString(Phase phase);
// Parses those names and others that programs use ("rollout", "update_actor", "weight_sync");
// nullopt if it is not a phase.
std::optional<Phase> PhaseOf(std::string_view name);

using PhaseTimes = std::array<std::int64_t, kPhaseCount>;
inline std::int64_t& At(PhaseTimes& times, Phase phase) {
  return times[static_cast<std::size_t>(phase)];
}
inline std::int64_t At(const PhaseTimes& times, Phase phase) {
  return times[static_cast<std::size_t>(phase)];
}

// Whether the role's devices have no work of their own: waiting, rewards and tools, checkpoints. If
// a reward model runs on these devices, the idle time is an upper bound.
bool IsIdle(Phase phase);

}  // namespace rankscope::post_training
