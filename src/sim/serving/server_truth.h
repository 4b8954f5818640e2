// What is true of a simulated server, for whoever judges a tool by it.
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

// JSON, "rankscope.server_truth/1": the shape and settings, the blocks of the KV cache, the time of
// decode steps without noise by their size (contexts as in the middle of an answer of `mix`), and
// what the server can do at most with requests of `mix` (capacity.h), by the clock of its users.
// Capacity is null of a shape that takes no time, and of settings that die of their memory before.
Result<std::string> ServerTruth(const ServerFacts& facts, const RequestMix& mix);

}  // namespace rankscope::sim
