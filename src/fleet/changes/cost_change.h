// Why the GPU time of a period differs from that of another: other work, more work, slower work.
//
// Strata are what can be compared: a kernel on a device with a shape. N and T are a stratum's
// launches and time, d = T / N its mean duration, N* and T* the sums over all strata, m = N / N*.
//
//   duration   sum over strata of both periods of N1 (d1 - d0)
//   count      (N1* - N0*) T0* / N0*       as many launches more, of the mixture of before
//   mix        the rest: sum of N1* (m1 - m0) d0, what is new counting with d1
//
// The three sum to T1* - T0* exactly: each is a whole number, and mix is the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope::fleet {

// Of one stratum, in two periods. Launches and times are not negative; a period without it has 0.
struct StratumChange {
  std::int64_t launches_before = 0, launches_after = 0;
  std::int64_t time_before = 0, time_after = 0;  // ns, or any unit that all share
};

struct CostChange {
  std::int64_t before = 0, after = 0;             // time, of all strata
  std::int64_t mix = 0, duration = 0, count = 0;  // sum to after - before
  std::int64_t launches_before = 0, launches_after = 0;
  // Laspeyres: exp(sum of w ln(d1 / d0)), w being the stratum's part of the time before among the
  // strata of both periods. Above 1: work got slower, whatever became of the mixture. nullopt when
  // no stratum is in both.
  std::optional<double> index;
};

// Sums saturate at the ends of int64. O(strata).
CostChange ChangeOf(std::span<const StratumChange> strata);

}  // namespace rankscope::fleet
