// Which kernels got slower or faster, since when and why.
//
// Each stratum has a series of its own, one value a run: the logarithm of its median duration. A
// fleet's mean is never looked at: it moves when the mixture of work moves.
//
// A change is told when all of these hold:
//   - a change point of the series (changes/change_points.h) with p <= 0.001;
//   - ln of the Bayes factor for two levels is at least ln 10;
//   - the medians of both levels differ by at least 3 % and 3 robust standard deviations of the
//     values around their levels;
//   - both levels have 5 runs or more, the new one of 2 jobs or of 2 hosts;
//   - q <= 5 %: p times the places where a change could be, over all strata together (Benjamini
//     and Hochberg).
// It is a cost shift, no regression, when other kernels got cheaper by 80 % of it or more
// (step_shares.h). A kernel that a model did not launch before, and then does in 80 % of its runs,
// is new when it takes 1 % of the computing time or more and is no cost shift.
#pragma once

#include <string>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

struct RegressionOptions {
  double most_q = 0.05;
  double least_hours_per_day = 0;  // changes known to cost or save less are left out
  std::string data;                // the store's folder, for commands
};

// Regressions first, then new kernels, cost shifts and improvements; by hours, change and name.
Result<TableOf<FleetRegressions>> FindRegressions(FleetSql& sql, const RegressionOptions& options);

}  // namespace rankscope::fleet
