// A transformer trained with tensor, context, pipeline and data parallelism, as in Megatron.
//
// Ranks are numbered tensor first, then context, then data, then pipeline. The ranks of a context
// group share every sequence; keys and values go round among them (ring_attention.h), with one
// stream per neighbour. The ranks of a tensor group share every layer and all-reduce activations
// twice per layer and pass. All stages have the same number of layers; the first stage also has the
// embedding, the last the head. Micro-batches follow 1F1B: a stage warms up with one forward per
// later stage, then alternates, then runs the remaining backwards. With virtual stages each stage
// has several chunks of layers, each as large as the job's size says, and follows the interleaved
// schedule. Neighbours send each other activations and gradients. Each pair has a stream of its own
// (interleaved: one per direction) and the same order on both sides. Gradients are all-reduced
// during the last backward over the ranks that hold the same parameters; then the first and the
// last stage all-reduce those of the embedding.
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
