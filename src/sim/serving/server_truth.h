// Ground truth about a simulated server, to evaluate tools against.
#pragma once

#include <string>

#include "base/status.h"
#include "sim/serving/capacity.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

struct ServerFacts {
  CostShape shape;
  EngineSettings settings;
  EngineNoise noise;
  double time_scale = 1;
};

// JSON, "rankscope.server_truth/1": shape and settings, the number of KV cache blocks, the
// noise-free time of decode steps by size (contexts as in the middle of an answer of `mix`), and
// the server's capacity for requests of `mix` (capacity.h) in real time. Capacity is null for a
// shape that takes no time, and for settings that run out of memory first.
Result<std::string> ServerTruth(const ServerFacts& facts, const RequestMix& mix);

}  // namespace rankscope::sim
