// The kernels of a day, runs of equal strata together, so that questions over months read little.
#pragma once

#include <memory>

#include "base/status.h"
#include "schemas/fleet.h"

namespace rankscope::fleet {

// Takes rows of kernel_run of one day in any order and any number of parts.
class DayRollup {
 public:
  DayRollup();
  ~DayRollup();
  DayRollup(const DayRollup&) = delete;
  DayRollup& operator=(const DayRollup&) = delete;

  // kBadData when a sketch is damaged. About 3 us a row; memory follows the strata, not the rows.
  Status Add(ViewOf<KernelRun> rows);
  // By the strata's names. Once.
  TableOf<KernelDay> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rankscope::fleet
