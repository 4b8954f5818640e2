// Aggregates the kernels of a day over runs, by stratum, so that questions over months read less.
#pragma once

#include <memory>

#include "base/status.h"
#include "schemas/fleet.h"

namespace rankscope::fleet {

// Takes rows of kernel_run from one day, in any order and in any number of parts.
class DayRollup {
 public:
  DayRollup();
  ~DayRollup();
  DayRollup(const DayRollup&) = delete;
  DayRollup& operator=(const DayRollup&) = delete;

  // kBadData if a sketch is damaged. About 3 us per row; memory grows with strata, not with rows.
  Status Add(ViewOf<KernelRun> rows);
  // Sorted by the strata's names. Call once.
  TableOf<KernelDay> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::fleet
