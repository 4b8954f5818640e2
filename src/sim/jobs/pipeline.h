// The 1F1B schedules of a pipeline stage.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct PipelineAction {
  enum class Kind : std::uint8_t {
    kForward,
    kBackward,
    kSendForward,      // activations to the next stage
    kReceiveForward,   // gradients to the previous stage
    kSendBackward,     // gradients to the stage before
    kReceiveBackward,  // gradients from the next stage
  };
  Kind kind = Kind::kForward;
  int micro_batch = 0;  // of a forward or backward
  int chunk = 0;        // of the stage's chunks of layers
};

// The actions of stage `stage` of `stages` for `micro_batches`, in order. Both sides of a pair of
// stages send and receive in the same order. Where a stage sends back a gradient and receives an
// activation at the same time, the activation comes first.
std::vector<PipelineAction> OneForwardOneBackward(int stage, int stages, int micro_batches);

// The interleaved schedule of Megatron-LM: every stage has `chunks` chunks of layers. The output of
// the last stage for one chunk is the input of the first stage for the next chunk. Groups of
// `stages` micro-batches pass one chunk, then the next; `micro_batches` is a multiple of `stages`.
// Both sides of a pair send and receive activations in the same order; the same holds for
// gradients, which are ordered independently of activations.
std::vector<PipelineAction> Interleaved(int stage, int stages, int micro_batches, int chunks);

}  // namespace rankscope::sim
