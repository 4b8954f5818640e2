#include "serving/causes/cause.h"

#include <algorithm>

#include "serving/causes/replay_gain.h"

namespace rankscope::serving {
namespace {

int Rank(const Finding& finding) {
  const std::string_view severity = finding.severity();
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

}  // namespace

std::string_view Finding::severity() const {
  constexpr double kHourS = 3600;
  if (full_in_s) return *full_in_s < kHourS ? "high" : *full_in_s < 24 * kHourS ? "medium" : "low";
  if (!lost_pct) return "medium";
  return *lost_pct >= 10 ? "high" : *lost_pct >= 3 ? "medium" : "low";
}

namespace {

// Of engines that generate tokens.
void FindCausesOfEngine(const Analysis& analysis, Causes& causes) {
  FindColdStart(analysis, causes);
  FindReplicaImbalance(analysis, causes);
  FindKvCachePressure(analysis, causes);
  FindKvCacheLeak(analysis, causes);
  FindQueueing(analysis, causes);
  FindPrefillInterference(analysis, causes);
  FindPrefixCacheMiss(analysis, causes);
  FindFrontendBound(analysis, causes);
  FindHostBoundDecode(analysis, causes);
}

// Of services with handlers.
void FindCausesOfService(const Analysis& analysis, Causes& causes) {
  FindLockContention(analysis, causes);
  FindServiceQueueing(analysis, causes);
}

}  // namespace

Causes FindCauses(const Analysis& analysis) {
  Causes causes;
  if (IsOfService(analysis.population.depth)) {
    FindCausesOfService(analysis, causes);
  } else {
    FindCausesOfEngine(analysis, causes);
  }
  for (Finding& finding : causes.findings) StateGain(analysis, finding);
  for (Finding& finding : causes.findings) TellRateFirst(analysis, causes, finding);
  std::ranges::stable_sort(causes.findings, {}, [](const Finding& finding) {
    return std::pair(Rank(finding), -finding.lost_pct.value_or(0));
  });
  return causes;
}

}  // namespace rankscope::serving
