// A transformer trained with fully sharded data parallelism (FSDP2), or its hybrid form.
//
// A rank of a shard group holds its share of every layer's parameters. A layer's parameters are
// gathered while earlier layers compute, at most two layers ahead, in the forward and again in the
// backward. Its gradients are reduce-scattered after its backward. Embedding and head are gathered
// once and kept. In the hybrid form (HSDP) every shard group holds a whole model, and the scattered
// gradients are then all-reduced over the replicas.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class FsdpJob : public Job {
 public:
  FsdpJob(const SimulateOptions& options, const StepSize& size, Library* library);

  Layout MakeLayout() const override;
  int RoleOf(int /*rank*/) const override { return 0; }
  int BatchesPerStep() const override { return size_.micro_batches; }
  Program MakeStep(const StepRequest& request) override;

 private:
  const SimulateOptions& options_;
  const StepSize& size_;
  Library* library_;
  int shards_;  // ranks of a shard group
};

// Ranks that share a model in the hybrid form: those of a host, or half the ranks of a smaller job.
int HybridShards(int ranks);

}  // namespace rankscope::sim
