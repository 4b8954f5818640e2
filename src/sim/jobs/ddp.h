// A transformer trained with DistributedDataParallel: every rank holds the whole model. Gradients
// are all-reduced during the backward in buckets: one per layer and two more. Also the same job on
// a single GPU, without process groups.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class DdpJob : public Job {
 public:
  DdpJob(const SimulateOptions& options, const StepSize& size, Library* library);

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
