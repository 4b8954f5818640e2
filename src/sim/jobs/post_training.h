// Post-training by reinforcement learning: some ranks generate samples, the others train on these
// samples.
//
// A quarter of the ranks, at least one, are generators. Each has the whole model and decodes token
// by token; the host reads a value back per token. The samples go to the trainers by an all-gather
// over all ranks. The trainers train with data parallelism and return the new weights by a
// broadcast over all ranks. Both sides take turns: while one works, the other waits.
#pragma once

#include "sim/jobs/job.h"

namespace rankscope::sim {

class PostTrainingJob : public Job {
 public:
  PostTrainingJob(const SimulateOptions& options, const StepSize& size, Library* library);

  Layout MakeLayout() const override;
  int RoleOf(int rank) const override;  // 0 generates, 1 trains
  std::string_view PurposeOf(int rank) const override;
  int BatchesPerStep() const override { return 1; }
  Program MakeStep(const StepRequest& request) override;

 private:
  int Generators() const;

  const SimulateOptions& options_;
  const StepSize& size_;
  Library* library_;
};

}  // namespace rankscope::sim
