// Shows when requests wait and what is full then, from the loads of scrapes or logs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serving/causes/analysis.h"

namespace rankscope::serving {

struct Waiting {
  std::int64_t samples = 0;  // loads that say how many wait
  std::int64_t waiting = 0;  // of these with one or more
  double mean_waiting = 0, mean_running = 0;
  double most_running = 0;         // of any replica
  std::int64_t at_ceiling = 0;     // waiting, and running within 5% of the replica's most
  std::int64_t running_known = 0;  // waiting, and the running known
  std::int64_t kv_known = 0;       // waiting, and the KV cache's use known
  std::int64_t kv_full = 0;        // waiting, and it is 95% or more
  std::int64_t kv_room = 0;        // waiting, and it is below 85%
  std::int64_t kv_below = 0;       // waiting, fewer run than the most, and it is 85% or more
  std::int64_t reason_known = 0;   // waiting, and the server says whether for capacity
  std::int64_t deferred = 0;       // of these, most of the waiting do not wait for capacity
  double most_kv = 0;              // of all samples
  double mean_kv_waiting = 0;      // while requests wait
  std::int64_t for_capacity = 0;   // samples in which the server says that it is the KV cache
  bool grows = false;  // the last fifth waits over twice as long a queue as the first, and rises

  double Share(std::int64_t count) const {
    return waiting > 0 ? static_cast<double>(count) / static_cast<double>(waiting) : 0;
  }
};

// Preemptions counted by servers: events; one request may have several.
struct Preemptions {
  double events = 0, finished = 0;
};
// nullopt if no server counts them.
std::optional<Preemptions> PreemptionsOf(const std::vector<ReplicaSeries>& replicas);
// "470 preemptions over 699 requests".
std::string PreemptionWords(const Preemptions& preemptions);

Waiting WaitingOf(const std::vector<Load>& loads);

}  // namespace rankscope::serving
