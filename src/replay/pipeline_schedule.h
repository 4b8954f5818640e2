// How long a pipeline takes for a step, by its schedule: one forward, one backward; with several
// chunks of layers per stage the interleaved one of Megatron-LM (Narayanan et al., SC 2021).
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope {

struct StageTimes {
  double forward_ns = 0;   // a pass of one chunk
  double backward_ns = 0;  // the same
};

// From the first pass to the end of the last. A pass begins when its stage's pass before it and
// the pass that it gets its input from have ended. 0 without stages or micro-batches. With chunks,
// `micro_batches` is a multiple of the stages; else what the schedule cannot do gives 0.
// O(stages * micro_batches * chunks).
double PipelineNs(const std::vector<StageTimes>& stages, std::int64_t micro_batches,
                  std::int64_t chunks);

}  // namespace rankscope
