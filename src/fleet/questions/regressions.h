// Which kernels got slower or faster, since when and why.
//
// Each stratum has its own series with one value per run: the logarithm of its median duration. The
// mean over the fleet is not used: it changes when the mixture of work changes.
//
// A change is reported if all of these hold:
//   - a change point of the series (changes/change_points.h) with p <= 0.001;
//   - ln of the Bayes factor for two levels is at least ln 10;
//   - the medians of both levels differ by at least 3 % and 3 robust standard deviations of the
//     values around their levels;
//   - both levels have 5 runs or more, the new one from at least 2 jobs or 2 hosts;
//   - q <= 5 %: p times the number of places where a change could be, over all strata together
//     (Benjamini and Hochberg).
// It is a cost shift, not a regression, if other kernels got cheaper by 80 % of it or more
// (step_shares.h). A kernel counts as new if a model did not launch it before and then does in
// 80 % of its runs, it takes 1 % of the computing time or more, and it is not a cost shift.
#pragma once

#include <string>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

struct RegressionOptions {
  double most_q = 0.05;
  double least_hours_per_day = 0;  // changes that are known to cost or save less are left out
  std::string data;                // the store's folder, for commands
};

// Regressions first, then new kernels, cost shifts and improvements; each by hours, change and
// name.
Result<TableOf<FleetRegressions>> FindRegressions(FleetSql& sql, const RegressionOptions& options);

}  // namespace rankscope::fleet
