// A transformer trained with tensor, context, pipeline and data parallelism, as Megatron does it.
//
// Ranks are numbered tensor first, then context, then data, then pipeline. The ranks of a context
// group share every sequence; keys and values go round among them (ring_attention.h), with each
// neighbour on a stream of its own. The ranks of a tensor group share every layer and all-reduce
// activations twice per layer each way. A stage has the same number of layers as the others; the
// first has the embedding, too, the last the head. Micro-batches follow 1F1B: a stage warms up with
// as many forwards as there are stages behind it, then alternates, then finishes the backwards that
// are left. With virtual stages each has several chunks of layers, of the job's size each, and
// follows the interleaved schedule. Activations and their gradients are sent between neighbours,
// each pair on a stream of its own (interleaved: one for each way) and in the same order on both
// sides. Gradients are all-reduced over the ranks with the same parameters during the last
// backward, the embedding's then between first and last stage.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class ThreeDJob : public Job {
 public:
  ThreeDJob(const SimulateOptions& options, const StepSize& size, Library* library);

  Layout MakeLayout() const override;
  int RoleOf(int rank) const override;  // the stage
  int BatchesPerStep() const override { return 1; }
  Program MakeStep(const StepRequest& request) override;

 private:
  const SimulateOptions& options_;
  const StepSize& size_;
  Library* library_;
};

}  // namespace rankscope::sim
