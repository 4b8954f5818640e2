#include "fleet/changes/cost_change.h"

#include <cmath>

#include "base/saturating.h"

namespace rankscope::fleet {

CostChange ChangeOf(std::span<const StratumChange> strata) {
  CostChange change;
  long double duration = 0, weights = 0, logs = 0;
  for (const StratumChange& one : strata) {
    AddSaturating(change.before, one.time_before);
    AddSaturating(change.after, one.time_after);
    AddSaturating(change.launches_before, one.launches_before);
    AddSaturating(change.launches_after, one.launches_after);
    if (one.launches_before == 0 || one.launches_after == 0) continue;
    const auto before =
        static_cast<long double>(one.time_before) / static_cast<long double>(one.launches_before);
    const auto after =
        static_cast<long double>(one.time_after) / static_cast<long double>(one.launches_after);
    duration += static_cast<long double>(one.launches_after) * (after - before);
    if (before <= 0 || after <= 0) continue;
    const auto weight = static_cast<long double>(one.time_before);
    weights += weight;
    logs += weight * std::log(after / before);
  }
  change.duration = static_cast<std::int64_t>(std::llround(duration));
  if (change.launches_before > 0) {
    change.count = static_cast<std::int64_t>(std::llround(
        static_cast<long double>(change.before) / static_cast<long double>(change.launches_before) *
        (static_cast<long double>(change.launches_after) -
         static_cast<long double>(change.launches_before))));
  }
  change.mix = change.after - change.before - change.duration - change.count;
  if (weights > 0) change.index = static_cast<double>(std::exp(logs / weights));
  return change;
}

}  // namespace rankscope::fleet
