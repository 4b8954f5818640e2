// StepSize: how big the steps of a job are.
#pragma once

namespace rankscope::sim {

// Size of a step: layers (of a pipeline stage), micro-batches, launches of the optimizer.
struct StepSize {
  int layers = 1;
  int micro_batches = 1;
  int optimizer_launches = 2;
};

}  // namespace rankscope::sim
