// Post-training by reinforcement learning: some ranks generate, the others train on what they
// wrote.
//
// A quarter of the ranks, at least one, are generators: each has the whole model and decodes token
// by token, with a value read back per token. Their samples go to the trainers (an all-gather over
// all ranks), which train with data parallelism and then hand the new weights to the generators (a
// broadcast over all ranks). Both take turns: while one side works the other waits.
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
