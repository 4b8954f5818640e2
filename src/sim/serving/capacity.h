// Capacity: the most that a server can do with requests of one length. It is found by serving a
// queue that never runs empty, without noise and stalls.
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
  double mean_running = 0;  // weighted by time
  double preemptions_per_request = 0;
  bool dies = false;  // the engine runs out of memory before it reaches that rate
};

// Six times max_num_seqs requests wait from the start; the rate is measured over the second third
// of their ends. Prompts share no prefix. Takes about as long as RunToEnd for that many requests.
// kInvalidArgument for invalid engine settings and for lengths that the engine refuses.
Result<Capacity> FindCapacity(const CostShape& shape, const EngineSettings& settings,
                              const RequestMix& mix);

}  // namespace rankscope::sim
