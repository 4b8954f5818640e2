// A change of a kernel as it was found, before the last decisions.
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
  std::vector<std::uint32_t> before, after;  // runs of both levels, in the order of time
  std::vector<double> values;                // of `before`, then of `after`
  std::vector<Sighting> sightings_after;
  double before_ns = 0, after_ns = 0;      // medians; 0 of a new kernel's before
  std::optional<std::uint32_t> came_back;  // the run with which the level came back
  double p = 1;                            // times the places of the series
  std::optional<StepChange> step;
};

// Every test that was made: the changes, and how many tests found none (each has p = 1).
struct FoundChanges {
  std::vector<FoundChange> changes;
  std::size_t tests_without = 0;
};

// Changes of durations, and new kernels, by what regressions.h says but for q and cost shifts.
FoundChanges FindChanges(const RunSeries& series);

}  // namespace rankscope::fleet
