// A change of a kernel as found, before the final decisions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fleet/questions/run_series.h"
#include "fleet/questions/step_shares.h"

namespace rankscope::fleet {

struct FoundChange {
  Stratum stratum;
  bool is_new = false;                       // a kernel that was not launched before
  std::vector<std::uint32_t> before, after;  // runs of both levels, in time order
  std::vector<double> values;                // of `before`, then of `after`
  std::vector<Sighting> sightings_after;
  double before_ns = 0, after_ns = 0;      // medians; before_ns is 0 for a new kernel
  std::optional<std::uint32_t> came_back;  // the run at which the old level came back
  double p = 1;                            // multiplied by the number of places in the series
  std::optional<StepChange> step;
};

// Every test that was made: the changes, and the number of tests without one (each has p = 1).
struct FoundChanges {
  std::vector<FoundChange> changes;
  std::size_t tests_without = 0;
};

// Changes of durations, and new kernels, by the rules of regressions.h except q and cost shifts.
FoundChanges FindChanges(const RunSeries& series);

}  // namespace rankscope::fleet
