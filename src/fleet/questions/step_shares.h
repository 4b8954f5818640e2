// The effect of one kernel's change on the step: how much more the kernel costs, and whether others
// got cheaper by as much, as when code moves from one kernel to another (a cost shift).
#pragma once

#include <optional>
#include <span>

#include "fleet/questions/run_series.h"

namespace rankscope::fleet {

struct StepChange {
  double kernel_ns = 0;     // change of its time per step and rank
  double computing_ns = 0;  // time per step and rank of all computing kernels before
  // Changes of other kernels in the opposite direction, relative to the kernel's; 1: as much.
  double offset = 0;
};

// Compares the last 20 of the runs `before` with the first 20 of `after`, all of one group. Another
// kernel counts if its time per step differs (Student's t, p < 0.001) and it is of the kernel's
// class or its number of launches changed: a driver makes kernels faster, moved code changes their
// number. nullopt if the steps of runs are unknown, or a side has fewer than 3 runs.
std::optional<StepChange> ChangeOfStep(const RunSeries& series, const RunGroup& group,
                                       const GroupKernel& kernel,
                                       std::span<const std::uint32_t> before,
                                       std::span<const std::uint32_t> after);

}  // namespace rankscope::fleet
