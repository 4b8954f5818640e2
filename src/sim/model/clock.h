// Clock: how a rank's own clock, used in its trace, differs from the job's true time.
#pragma once

#include <cstdint>

namespace rankscope::sim {

struct Clock {
  std::int64_t offset_ns = 0;  // at true time 0
  std::int64_t drift_ppb = 0;  // ns gained per second of true time

  // What the clock shows at true time `ns` >= 0: ns + offset_ns + floor(ns * drift_ppb / 1e9).
  constexpr std::int64_t At(std::int64_t ns) const {
    if (drift_ppb == 0) return ns + offset_ns;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t rest = ns % kSecond * drift_ppb;
    const std::int64_t floor = rest >= 0 ? rest / kSecond : -((-rest + kSecond - 1) / kSecond);
    return ns + offset_ns + ns / kSecond * drift_ppb + floor;
  }
};

}  // namespace rankscope::sim
