// A recommendation model: embedding tables are shared out over the ranks (model parallel), dense
// layers are replicated (data parallel).
//
// The ids of a rank's batch go to the ranks that have their tables, pooled embeddings come back,
// both all-to-all; the dense features are worked on meanwhile. In the backward the embeddings'
// gradients go the other way, and those of the dense layers are all-reduced, a bucket per layer.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class DlrmJob : public Job {
 public:
  DlrmJob(const SimulateOptions& options, const StepSize& size, Library* library);

  Layout MakeLayout() const override;
  int RoleOf(int /*rank*/) const override { return 0; }
  int BatchesPerStep() const override { return size_.micro_batches; }
  Program MakeStep(const StepRequest& request) override;

 private:
  const SimulateOptions& options_;
  const StepSize& size_;
  Library* library_;
};

}  // namespace rankscope::sim
