// What a role of a post-training run does with its time. The phases of a step are a partition of
// its wall time: they sum to it exactly, and what no recording tells is kUnknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::post_training {

enum class Phase : std::uint8_t {
  kGenerate,    // samples, by the engine
  kWait,        // a trainer for samples, a generator for weights or because it is too far ahead
  kTrain,       // forward, backward, optimizer of actor and critic
  kLogProb,     // old and reference log-probabilities, values: forward passes without gradients
  kReward,      // reward functions and models, tools
  kSync,        // weights from trainer to generator
  kReshard,     // engine sleeps, wakes or loads weights into its own layout
  kCheckpoint,  // saving in the loop
  kOther,       // named by the recording and none of these: advantages, validation
  kUnknown,     // not told
};
inline constexpr std::size_t kPhaseCount = 10;

// "generate", "wait", "train", "log_prob", "reward", "sync", "reshard", "checkpoint", "other",
// "unknown".
std::string_view ToString(Phase phase);
// Of those names and of others that programs use ("rollout", "update_actor", "weight_sync");
// nullopt for what is none.
std::optional<Phase> PhaseOf(std::string_view name);

using PhaseTimes = std::array<std::int64_t, kPhaseCount>;
inline std::int64_t& At(PhaseTimes& times, Phase phase) {
  return times[static_cast<std::size_t>(phase)];
}
inline std::int64_t At(const PhaseTimes& times, Phase phase) {
  return times[static_cast<std::size_t>(phase)];
}

// The devices of the role have nothing of their own to do: waiting, rewards and tools, checkpoints.
// A reward model on these devices makes it an upper bound.
bool IsIdle(Phase phase);

}  // namespace rankscope::post_training
