// The 1F1B schedules of a pipeline's stage.
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
  int chunk = 0;        // of the stage's layers
};

// What stage `stage` of `stages` does for `micro_batches`, in order. Both sides of a pair of stages
// send and receive in the same order: where a stage gives back a gradient and takes an activation
// at the same time, the activation comes first.
std::vector<PipelineAction> OneForwardOneBackward(int stage, int stages, int micro_batches);

// The interleaved schedule of Megatron-LM: every stage has `chunks` chunks of layers, and what the
// last stage has done of one goes back to the first for the next. As many micro-batches as there
// are stages pass a chunk, then the next one; `micro_batches` is a multiple of `stages`. Sends and
// receives of activations are in one order on both sides of a pair, and so are those of gradients,
// each by themselves.
std::vector<PipelineAction> Interleaved(int stage, int stages, int micro_batches, int chunks);

}  // namespace rankscope::sim
