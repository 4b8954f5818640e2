// Rollouts grouped by the step that trains on them: how full the engine's slots are, how long the
// tail is, and how evenly replicas are loaded.
//
//   active(t)   samples in progress; slots: their maximum
//   tail        from the last moment at which at least half of the slots are active, to the end
//   tail idle   (slots x tail - active slot time in it) / (slots x duration)
//
// Possible gains for a batch with duration D:
//
//   end at p95  D - the moment at which 95 % of the samples have ended (the rest is cut or kept
//               for later); exact for the recorded times
//   partial     D - (time of all samples) / slots: unfinished samples continue in the next step,
//               and no slot is ever idle; a bound
//   n + m       D - the n / (n + m) quantile of the samples' ends, for m = n / 4: start more
//               samples, keep the first n; assumes that the engine has room for m more
//   even        D x (1 - mean / max of the replicas' tokens), but not below the longest sample
#pragma once

#include <string>
#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

struct ReplicaLoad {
  std::string replica;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;  // of responses
  std::int64_t end = 0;     // end of its last sample, relative to the batch's begin
};

struct Batch {
  Count step;  // nullopt: records have no steps, and all rollouts form one batch
  std::int64_t begin = 0, end = 0;
  std::int64_t samples = 0, slots = 0;
  std::int64_t sample_time = 0;  // slot time of all samples
  std::int64_t longest = 0;      // sample
  std::int64_t tail = 0;
  double tail_idle = 0;  // 0 to 1
  std::int64_t gain_p95 = 0, gain_partial = 0, gain_more = 0;
  Ns tools;                           // of all samples, if any records it
  std::vector<ReplicaLoad> replicas;  // by name; empty if a sample has no replica or tokens
  double imbalance = 0;               // 1 - mean / max of tokens
  double by_chance = 0;               // the part of it that random lengths would cause
  std::int64_t gain_even = 0;

  std::int64_t duration() const { return end - begin; }
};

struct Batches {
  std::vector<Batch> batches;  // by step
  // Samples of a step begin long before the last step's samples have ended: slots are refilled, and
  // a tail costs nothing.
  bool is_continuous = false;
};

// O(n log n).
Batches BatchesOf(const std::vector<Rollout>& rollouts);

}  // namespace rankscope::post_training
