// Capacity: what a server can do at most with requests of one length, found by serving a queue that
// never empties, without noise and stalls.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "sim/serving/cost_shape.h"
#include "sim/serving/engine_settings.h"

namespace rankscope::sim {

struct RequestMix {
  std::int64_t prompt_tokens = 512;
  std::int64_t output_tokens = 128;
};

struct Capacity {
  double requests_per_s = 0;
  double mean_running = 0;  // by time
  double preemptions_per_request = 0;
  bool dies = false;  // of memory, before it reaches that
};

// Six times max_num_seqs requests wait from the begin; the rate is that at which the second third
// of them ends. Prompts have nothing in common. About as long as RunToEnd for so many.
// kInvalidArgument for settings with which no engine starts and lengths that it does not take.
Result<Capacity> FindCapacity(const CostShape& shape, const EngineSettings& settings,
                              const RequestMix& mix);

}  // namespace rankscope::sim
