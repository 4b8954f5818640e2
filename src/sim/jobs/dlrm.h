// A recommendation model: embedding tables are distributed over the ranks (model parallel), dense
// layers are replicated (data parallel).
//
// One all-to-all sends the ids of a rank's batch to the ranks that hold the tables; another returns
// the pooled embeddings. The dense features are computed meanwhile. In the backward the embeddings'
// gradients travel back, and the dense gradients are all-reduced, one bucket per layer.
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
