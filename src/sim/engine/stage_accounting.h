// StageAccounting: what a stage of a pipeline computes in every step, and where it waits for the
// others. In true time, which all ranks share.
//
// A stage is busy while one of the kernels runs that its forward and backward passes launch, on the
// main thread or on autograd's. The pipeline of a step lasts from the first to the last such moment
// of the ranks that have a part of the same model; what a stage does not use of it divides into the
// time before its first kernel, behind its last, and between.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/device.h"
#include "sim/model/layout.h"

namespace rankscope::sim {

// Of one step; times in ns.
struct StageBusy {
  std::int64_t first_ns = kUnknown;  // kUnknown: it has computed nothing
  std::int64_t last_ns = kUnknown;
  std::int64_t busy_ns = 0;
  int forwards = 0;  // passes: micro-batches, times chunks of layers
};

class StageAccounting {
 public:
  void OpenStep() { steps_.emplace_back(); }
  void OpenForward() { ++steps_.back().forwards; }
  // A kernel of a pass, in the order of the device.
  void Add(const Span& kernel);

  // By step; a kernel counts for the step that launched it.
  const std::vector<StageBusy>& steps() const { return steps_; }

 private:
  std::vector<StageBusy> steps_;
};

// warm_up + steady + cool_down + busy is the pipeline's length, the same for all its stages.
struct StageAccount {
  int forwards = 0;
  std::int64_t warm_up_ns = 0;
  std::int64_t steady_ns = 0;
  std::int64_t cool_down_ns = 0;
  std::int64_t busy_ns = 0;
};

// By rank and step, from what each rank computed; empty without a pipeline. Ranks that differ in
// nothing but their stage are one pipeline. Cost: linear.
std::vector<std::vector<StageAccount>> AccountStages(
    const Layout& layout, const std::vector<std::vector<StageBusy>>& busy);

}  // namespace rankscope::sim
