// The time of a pipeline for a step, from its schedule: one forward, one backward; with several
// chunks of layers per stage the interleaved schedule of Megatron-LM (Narayanan et al., SC 2021).
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope {

struct StageTimes {
  double forward_ns = 0;   // a pass of one chunk
  double backward_ns = 0;  // the same
};

// From the first pass to the end of the last. A pass begins when the previous pass of its stage and
// the pass that produces its input have ended. 0 without stages or micro-batches. With chunks,
// `micro_batches` must be a multiple of the stages; an impossible schedule gives 0. O(stages *
// micro_batches * chunks).
double PipelineNs(const std::vector<StageTimes>& stages, std::int64_t micro_batches,
                  std::int64_t chunks);

}  // namespace rankscope
