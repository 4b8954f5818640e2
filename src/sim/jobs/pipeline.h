// The 1F1B schedule of a pipeline's stage.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct PipelineAction {
  enum class Kind : std::uint8_t {
    kForward,
    kBackward,
    kSendForward,      // activations to the next stage
    kReceiveForward,   // activations from the stage before
    kSendBackward,     // gradients to the stage before
    kReceiveBackward,  // gradients from the next stage
  };
  Kind kind = Kind::kForward;
  int micro_batch = 0;  // of a forward or backward
};

// What stage `stage` of `stages` does for `micro_batches`, in order. Both sides of a pair of stages
// send and receive in the same order: where a stage gives back a gradient and takes an activation
// at the same time, the activation comes first.
std::vector<PipelineAction> OneForwardOneBackward(int stage, int stages, int micro_batches);

}  // namespace rankscope::sim
