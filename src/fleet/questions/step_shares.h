// What a change of one kernel means for the step: what the kernel costs more, and whether others
// got cheaper by as much, as when code is moved from one kernel to another (a cost shift).
#pragma once

#include <optional>
#include <span>

#include "fleet/questions/run_series.h"

namespace rankscope::fleet {

struct StepChange {
  double kernel_ns = 0;     // change of its time per step and rank
  double computing_ns = 0;  // time per step and rank of all computing kernels before
  // Others' changes in the other direction, as a part of the kernel's: 1 is as much.
  double offset = 0;
};

// Compares the last 20 of the runs `before` with the first 20 of `after`, which are of one group.
// Others count whose time per step differs (Student's t, p < 0.001), and which are of the kernel's
// class or are launched more, less, not at all or newly: a driver makes kernels faster, code that
// is moved makes them fewer. nullopt where steps of runs are not known, or a side has under 3 runs.
std::optional<StepChange> ChangeOfStep(const RunSeries& series, const RunGroup& group,
                                       const GroupKernel& kernel,
                                       std::span<const std::uint32_t> before,
                                       std::span<const std::uint32_t> after);

}  // namespace rankscope::fleet
