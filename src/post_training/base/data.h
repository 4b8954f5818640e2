// What is known of a post-training run (SFT, DPO, PPO, GRPO), whatever wrote it down: steps of a
// trainer's log, phases of roles with their times, rollouts. Everything that is read becomes this,
// and everything that is computed begins with it.
//
// Times are int64 ns: durations, and moments of one clock. What is not known is nullopt, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post_training/base/phase.h"

namespace rankscope::post_training {

using Ns = std::optional<std::int64_t>;
using Count = std::optional<std::int64_t>;
using Real = std::optional<double>;

// No step, phase or rollout is longer, 3.65 days: sums of 10,000 such fit an int64.
inline constexpr std::int64_t kMostSpan = 315'000'000'000'000;

struct Source {
  std::string path;
  std::string format;  // "veRL log"
  std::int64_t records = 0;
};

// Numbers of a step beside its times, as a trainer logs them.
struct StepFacts {
  Real tokens;                             // prompts and responses of the step
  Real tokens_per_s;                       // per device, as logged
  Real step_s;                             // that the logged tokens per second are of
  Real prompt_mean, response_mean;         // tokens
  Real response_max;                       // tokens
  Real clipped;                            // responses that hit the limit, 0 to 1
  Real sample_mean_s, sample_max_s;        // generation of a sample: mean and slowest
  Real tool_mean_s;                        // tool calls of a sample
  Real staleness_mean, staleness_max;      // versions of weights
  Real stale_samples;                      // that were trained on
  Real partial;                            // samples that were interrupted and went on, 0 to 1
  Real rank_tokens_mean, rank_tokens_max;  // of the trainer's data-parallel ranks
};

// How a trainer's log says its run is laid out.
enum class Layout : std::uint8_t {
  kColocated,  // one set of devices generates and trains in turns
  kSplit,      // generator and trainer have devices of their own
};

// A step as a trainer's log tells it. Phases are those of the trainer's loop.
struct LogStep {
  std::uint32_t source = 0;
  std::int64_t step = 0;
  Layout layout = Layout::kColocated;
  Ns wall;                             // of the step; nullopt: the sum of its phases
  std::array<Ns, kPhaseCount> phases;  // in it
  Ns beside;                           // validation and the like: in it where it fits, else behind
  Ns sync_beside;                      // the same of weight sync
  Ns generator_busy, generator_wall;   // of a generator with devices of its own
  StepFacts facts;
};

// A phase of a role with begin and end: rankscope's own record (docs/post-training.md).
struct PhaseRecord {
  std::uint32_t source = 0;
  std::string role;
  std::int64_t step = 0;
  Phase phase = Phase::kUnknown;
  std::int64_t begin = 0, end = 0;
  Count gpus;  // of the role
  Real bytes;  // that were moved
};

// A sample: from when it was begun until its last token, tools and waiting in the engine included.
struct Rollout {
  std::uint32_t source = 0;
  std::string id;
  std::string replica;  // "" unknown
  Count step;           // that trains on it
  std::int64_t begin = 0, end = 0;
  Count prompt_tokens, response_tokens;
  Ns tools;
  Count weight_version;   // with which it was begun
  Count trained_version;  // of the weights that it changes
  bool is_cut = false;    // ended at its limit, or aborted
};

// A sequence of a supervised step (SFT, DPO), by the micro-batch in which it is padded.
struct Sequence {
  std::uint32_t source = 0;
  std::int64_t step = 0, micro_batch = 0;
  std::int64_t tokens = 0;
  Count padded;  // length to which it was padded; nullopt: that of the longest beside it
};

// What torch traces tell of a role, over its ranks.
struct RoleTrace {
  std::string role;
  std::string kind;  // trainer or generator by the marks of its steps; "" unknown
  std::int64_t ranks = 0, steps = 0;
  Real step_mean;  // ns, by the marks of that role
  Real busy_pct;   // of its devices' observed time in complete steps
};

struct PostData {
  std::vector<Source> sources;
  std::vector<LogStep> log_steps;
  std::vector<PhaseRecord> phases;
  std::vector<Rollout> rollouts;
  std::vector<Sequence> sequences;
  std::vector<RoleTrace> traces;
  Count generate_gpus, train_gpus;  // as the user says, or as records say
  std::vector<std::string> notes;   // what the inputs lack or say oddly, a sentence each
};

}  // namespace rankscope::post_training
