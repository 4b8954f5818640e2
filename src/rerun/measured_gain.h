// Computes the gain of a change from runs before and after it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankscope::rerun {

// 100 * (1 - mean after / mean before), and its 95 % interval.
struct MeasuredGain {
  double pct = 0;
  // Quantiles of 10,000 bootstrap samples: for each side as many runs as there are, drawn with
  // replacement (Efron 1979). Runs are drawn, not steps, since the steps of a run share its
  // process, its memory and its place on the machine. Samples of few runs scatter less than the
  // means of runs do. So the quantiles are not 2.5 and 97.5 %, but as far out as Student's t
  // requires for n runs, of the side with fewer: the normal distribution's share beyond sqrt(n / (n
  // - 1)) t(0.975, n - 1) (Hesterberg 2015, the expanded percentile interval). If both sides are
  // equal, five runs show a gain in 2.7 % of all cases, four in 2.2 %, three in 5 % (their widest
  // range is that of the runs themselves). Equal runs give equal samples: results are
  // deterministic. Unknown with fewer than three runs.
  std::optional<double> low_pct, high_pct;
};
// From the runs' steps or durations, all above 0; at least one per side. O(10,000 * runs).
MeasuredGain GainOf(std::span<const double> before, std::span<const double> after);

enum class Verdict : std::uint8_t {
  kConfirmed,  // it gains, and the promise is within a third of the possible range
  kLess,       // it gains, but less than two thirds of the promise
  kNoGain,     // the measured gain may be chance
  kSlower,     // a step takes longer
  kUnknown,    // cannot be determined with one or two runs of a side
};
std::string_view NameOf(Verdict verdict);

// The predicted gain of a change. If it is a bound, it only promises that the gain is not larger.
struct Promise {
  std::optional<double> pct;
  bool is_bound = false;
};
Verdict VerdictOf(const MeasuredGain& gain, const Promise& promise);

}  // namespace rankscope::rerun
