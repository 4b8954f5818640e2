// Why GPU time differs between two periods: different work, more work, or slower work.
//
// A stratum is a unit of comparison: a kernel on a device with a shape. N and T are a stratum's
// launches and time, d = T / N its mean duration, N* and T* the sums over all strata, m = N / N*.
//
//   duration   sum over strata of both periods of N1 (d1 - d0)
//   count      (N1* - N0*) T0* / N0*       the additional launches, with the old mixture
//   mix        the rest: sum of N1* (m1 - m0) d0, with d1 for new strata
//
// The three sum to T1* - T0* exactly: all are whole numbers, and mix is the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope::fleet {

// A stratum in two periods. Launches and times are not negative; 0 if a period does not have it.
struct StratumChange {
  std::int64_t launches_before = 0, launches_after = 0;
  std::int64_t time_before = 0, time_after = 0;  // ns, or any other common unit
};

struct CostChange {
  std::int64_t before = 0, after = 0;             // time, of all strata
  std::int64_t mix = 0, duration = 0, count = 0;  // sum to after - before
  std::int64_t launches_before = 0, launches_after = 0;
  // Laspeyres index: exp(sum of w ln(d1 / d0)), where w is the stratum's share of the time before,
  // among the strata of both periods. Above 1: work got slower, regardless of the mixture. nullopt
  // if no stratum is in both.
  std::optional<double> index;
};

// Sums saturate at the ends of int64. O(strata).
CostChange ChangeOf(std::span<const StratumChange> strata);

}  // namespace rankscope::fleet
