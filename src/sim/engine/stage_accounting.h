// StageAccounting: how long a pipeline stage computes in every step, and where it waits for other
// stages. In true time, which all ranks share.
//
// A stage is busy while a kernel runs that its forward or backward passes launched from the main
// thread or autograd's. The pipeline of a step lasts from the first to the last busy moment over
// the ranks that hold parts of the same model. The idle time of a stage divides into the time
// before its first kernel, after its last, and in between.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/device.h"
#include "sim/model/layout.h"

namespace rankscope::sim {

// One step; times in ns.
struct StageBusy {
  std::int64_t first_ns = kUnknown;  // kUnknown: it computed nothing
  std::int64_t last_ns = kUnknown;
  std::int64_t busy_ns = 0;
  int forwards = 0;  // passes: micro-batches times chunks of layers
};

class StageAccounting {
 public:
  void OpenStep() { steps_.emplace_back(); }
  void OpenForward() { ++steps_.back().forwards; }
  // A kernel of a pass; call in the order in which the device runs them.
  void Add(const Span& kernel);

  // By step; a kernel counts in the step that launched it.
  const std::vector<StageBusy>& steps() const { return steps_; }

 private:
  std::vector<StageBusy> steps_;
};

// warm_up + steady + cool_down + busy is the pipeline's length, equal for all its stages.
struct StageAccount {
  int forwards = 0;
  std::int64_t warm_up_ns = 0;
  std::int64_t steady_ns = 0;
  std::int64_t cool_down_ns = 0;
  std::int64_t busy_ns = 0;
};

// By rank and step, from what each rank computed; empty without a pipeline. Ranks that differ only
// in their stage form one pipeline. Cost: linear.
std::vector<std::vector<StageAccount>> AccountStages(
    const Layout& layout, const std::vector<std::vector<StageBusy>>& busy);

}  // namespace rankscope::sim
