// A transformer with mixtures of experts in place of its feed-forward layers.
//
// Attention, embedding and head are replicated (data parallel); the experts of a layer are shared
// out over the ranks of an expert group. The router sends every token to two experts: to their
// ranks and back by all-to-all with uneven splits, twice per layer each way. Gradients are
// all-reduced over all ranks, those of experts over the ranks that have the same ones.
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
