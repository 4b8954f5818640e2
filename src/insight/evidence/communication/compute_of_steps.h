// What ranks compute in steps, without the optimizer, which communication may hide behind.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "insight/evidence/communication/hideable.h"

namespace rankscope {

// Times are durations of kernels, in ns, by the recorded replay. Of the first rank of each group.
class ComputeOfSteps {
 public:
  ComputeOfSteps(const RuleInput& input, const std::vector<HideableOfStep>& hideable);

  // Of what begins in [from, to), in the step of `of`.
  std::int64_t Between(const Exchange& of, std::int64_t from, std::int64_t to) const;
  // Of the forward; a third of all, where phases were not recorded.
  std::int64_t Forward(const Exchange& of) const;
  // What gradients may be reduced beside: the backward whose gradients they are, which is what
  // follows the last forward before them. All, where phases were not recorded.
  std::int64_t BackwardBefore(const Exchange& of, std::int64_t begin_ns) const;

 private:
  struct Computed {
    std::int64_t begin_ns = 0, ns = 0;
    Phase phase = Phase::kForward;
  };
  const std::vector<Computed>& Of(const Exchange& of) const;

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Computed>> steps_;
};

}  // namespace rankscope
