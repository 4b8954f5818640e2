// Runs again: a run whose tag again_of names another one is that one with a change, and its tag
// finding says for which of its findings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/again.h"
#include "service/gains.h"
#include "service/parts.h"
#include "service/wall_clock.h"
#include "store/run.h"

namespace rankscope::service {

inline constexpr std::string_view kAgainTag = "again_of";
inline constexpr std::string_view kFindingTag = "finding";

// The text of a tag; "" without it.
std::string_view TagOf(const store::Run& run, std::string_view name);

// The mean of a run's complete steps, by its last report; none where it has none.
std::optional<double> StepTimeOf(const store::Run& run);

// What the findings of a run promise, of its last report: those with a gain that is no bound. Reads
// the report.
struct Promise {
  std::string finding;
  double gain_pct = 0;
};
Result<std::vector<Promise>> PromisesOf(const Parts& parts, const store::Run& run);

// 100 * (1 - step time of the test / of the base); none where either has none.
std::optional<double> GainPct(const store::Run& base, const store::Run& test);

// Keeps what was measured, when a run has become ready or has other tags: of it, if it is another
// one again, and of those that are it again; and forgets what is no measurement any more. Held
// together are runs of one team, of as many ranks, that share no file. Looks at every run of the
// catalogue.
Status KeepGainsOf(const Parts& parts, Gains& gains, const WallClock& now_s, const store::Run& run);

}  // namespace rankscope::service
