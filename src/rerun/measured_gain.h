// What runs before and after a change show of its gain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankscope::rerun {

// 100 * (1 - mean after / mean before), and where it lies with 95 %.
struct MeasuredGain {
  double pct = 0;
  // Quantiles of 10,000 bootstrap samples: as many runs of each side as there are, drawn from them
  // with replacement (Efron 1979). Runs are drawn, not steps: steps of one run share its process,
  // its memory and its place on the machine. Samples of few runs scatter less than their means do,
  // so not 2.5 and 97.5 %, but as far out as Student's t asks for n runs, of the side with fewer:
  // the normal distribution's share beyond sqrt(n / (n - 1)) t(0.975, n - 1) (Hesterberg 2015, the
  // expanded percentile interval). Of equal sides five runs then show a gain in 2.7 % of all cases,
  // four in 2.2, three in 5 (they have no wider range than the runs themselves). Equal runs give
  // equal samples: nothing is random between two calls. Unknown with fewer than three runs.
  std::optional<double> low_pct, high_pct;
};
// Of the runs' steps or durations, all above 0; at least one of each side. O(10,000 * runs).
MeasuredGain GainOf(std::span<const double> before, std::span<const double> after);

enum class Verdict : std::uint8_t {
  kConfirmed,  // it gains, and the promise lies within a third of what may be
  kLess,       // it gains, but less than two thirds of what was promised
  kNoGain,     // what was measured may be chance
  kSlower,     // a step takes longer
  kUnknown,    // with one or two runs of a side nobody can tell
};
std::string_view NameOf(Verdict verdict);

// What was promised of a change. A bound promises no more than that it is not exceeded.
struct Promise {
  std::optional<double> pct;
  bool is_bound = false;
};
Verdict VerdictOf(const MeasuredGain& gain, const Promise& promise);

}  // namespace rankscope::rerun
