// The data of a post-training run (SFT, DPO, PPO, GRPO), independent of its source: steps of a
// trainer's log, phases of roles with their times, rollouts. All readers produce it, and all
// computations start from it.
//
// Times are int64 ns: durations, and moments of one clock. Unknown values are nullopt, never 0.
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

// Upper limit of a step, phase or rollout, 3.65 days: the sum of 10,000 such values fits an int64.
inline constexpr std::int64_t kMostSpan = 315'000'000'000'000;

struct Source {
  std::string path;
  std::string format;  // "veRL log"
  std::int64_t records = 0;
};

// Numbers of a step besides its times, as a trainer logs them.
struct StepFacts {
  Real tokens;                             // prompts and responses of the step
  Real tokens_per_s;                       // per device, as logged
  Real step_s;                             // the time that the logged tokens_per_s refers to
  Real prompt_mean, response_mean;         // tokens
  Real response_max;                       // tokens
  Real clipped;                            // responses that hit the limit, 0 to 1
  Real sample_mean_s, sample_max_s;        // generation of a sample: mean and slowest
  Real tool_mean_s;                        // tool calls of a sample
  Real staleness_mean, staleness_max;      // versions of weights
  Real stale_samples;                      // samples with stale weights used for training
  Real partial;                            // share of resumed samples, 0 to 1
  Real rank_tokens_mean, rank_tokens_max;  // of the trainer's data-parallel ranks
};

// The device layout of a run, from its trainer's log.
enum class Layout : std::uint8_t {
  kColocated,  // one set of devices alternates between generation and training
  kSplit,      // generator and trainer have separate devices
};

// A step from a trainer's log. Phases are those of the trainer's loop.
struct LogStep {
  std::uint32_t source = 0;
  std::int64_t step = 0;
  Layout layout = Layout::kColocated;
  Ns wall;                             // of the step; nullopt: the sum of its phases
  std::array<Ns, kPhaseCount> phases;  // in it
  Ns beside;                           // validation and the like: within the step, or after it
  Ns sync_beside;                      // the same for weight sync
  Ns generator_busy, generator_wall;   // for a generator with its own devices
  StepFacts facts;
};

// A phase of a role with begin and end, from rankscope's own record (docs/post-training.md).
struct PhaseRecord {
  std::uint32_t source = 0;
  std::string role;
  std::int64_t step = 0;
  Phase phase = Phase::kUnknown;
  std::int64_t begin = 0, end = 0;
  Count gpus;  // number of devices of the role
  Real bytes;  // transferred
};

// A sample: from its start until its last token, including tools and waiting in the engine.
struct Rollout {
  std::uint32_t source = 0;
  std::string id;
  std::string replica;  // "": unknown
  Count step;           // the step that trains on it
  std::int64_t begin = 0, end = 0;
  Count prompt_tokens, response_tokens;
  Ns tools;
  Count weight_version;   // when the sample started
  Count trained_version;  // of the weights that the sample updates
  bool is_cut = false;    // ended at its limit, or aborted
};

// A sequence of a supervised step (SFT, DPO), with the micro-batch in which it is padded.
struct Sequence {
  std::uint32_t source = 0;
  std::int64_t step = 0, micro_batch = 0;
  std::int64_t tokens = 0;
  Count padded;  // length after padding; nullopt: that of the longest in its micro-batch
};

// What torch traces say of a role, over its ranks.
struct RoleTrace {
  std::string role;
  std::string kind;  // trainer or generator by its step marks; "" unknown
  std::int64_t ranks = 0, steps = 0;
  Real step_mean;  // ns, by the role's step marks
  Real busy_pct;   // of its devices' observed time in complete steps
};

struct PostData {
  std::vector<Source> sources;
  std::vector<LogStep> log_steps;
  std::vector<PhaseRecord> phases;
  std::vector<Rollout> rollouts;
  std::vector<Sequence> sequences;
  std::vector<RoleTrace> traces;
  Count generate_gpus, train_gpus;  // from the user, otherwise from records
  std::vector<std::string> notes;   // gaps and oddities of the inputs, in sentences
};

}  // namespace rankscope::post_training
