// Repeated runs: a run with the tag again_of is the named run with a change, and its tag finding
// names the finding for which it was changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/again.h"
#include "service/base/wall_clock.h"
#include "service/changes/gains.h"
#include "service/runs/parts.h"
#include "store/run.h"

namespace rankscope::service {

inline constexpr std::string_view kAgainTag = "again_of";
inline constexpr std::string_view kFindingTag = "finding";

// The text of a tag; "" without it.
std::string_view TagOf(const store::Run& run, std::string_view name);

// The mean of a run's complete steps, from its last report; none if it has none.
std::optional<double> StepTimeOf(const store::Run& run);

// The gains that the findings of a run's last report promise, without those that are only bounds.
// Reads the report.
struct Promise {
  std::string finding;
  double gain_pct = 0;
};
Result<std::vector<Promise>> PromisesOf(const Parts& parts, const store::Run& run);

// 100 * (1 - step time of the test / of the base); none if either has none.
std::optional<double> GainPct(const store::Run& base, const store::Run& test);

// Updates the measured gains after a run has become ready or its tags have changed. It keeps the
// gains of the run, if it repeats another, and of those that repeat it, and forgets those that are
// not valid any more. Only runs of one team with equally many ranks and no common file are
// compared. Looks at every run of the catalogue.
Status KeepGainsOf(const Parts& parts, Gains& gains, const WallClock& now_s, const store::Run& run);

}  // namespace rankscope::service
