// A transformer with mixtures of experts in place of its feed-forward layers.
//
// Attention, embedding and head are replicated (data parallel). The experts of a layer are divided
// among the ranks of an expert group. The router sends every token to two experts: an all-to-all
// with uneven splits to their ranks and one back, so two per layer in each pass. Gradients are
// all-reduced over all ranks; gradients of experts only over the ranks that hold the same experts.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class MoeJob : public Job {
 public:
  MoeJob(const SimulateOptions& options, const StepSize& size, Library* library);

  Layout MakeLayout() const override;
  int RoleOf(int /*rank*/) const override { return 0; }
  int BatchesPerStep() const override { return size_.micro_batches; }
  Program MakeStep(const StepRequest& request) override;
  Router RouterOf(int rank) const override;

 private:
  const SimulateOptions& options_;
  const StepSize& size_;
  Library* library_;
};

}  // namespace rankscope::sim
