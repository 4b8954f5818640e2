// NearTimes: the times of a replay by node, in 4 bytes each. Neighbouring nodes have close times,
// so a row holds its difference from its block's first time; differences above 2.1 s are stored
// separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/spilled_vector.h"
#include "replay/columns/short_times.h"

namespace rankscope {

class NearTimes {
 public:
  // 4.1 bytes per row. Rows that were never set are undefined.
  explicit NearTimes(std::size_t rows)
      : held_(rows, 0), base_((rows + kBlock - 1) / kBlock, kNoBase) {}

  std::int64_t operator[](std::size_t row) const {
    const std::int64_t base = base_[row / kBlock];
    return base == kNoBase ? 0 : Wrapped(base, Bits(long_.Read(row, held_[row])));
  }
  void Set(std::size_t row, std::int64_t ns) {
    std::int64_t& base = base_[row / kBlock];
    if (base == kNoBase) base = ns == kNoBase ? 0 : ns;
    held_[row] = long_.Put(row, Wrapped(ns, 0 - Bits(base)));
  }

 private:
  static constexpr std::size_t kBlock = 64;
  static constexpr std::int64_t kNoBase = INT64_MIN;

  // Differences of times at both ends of an int64 wrap around in both directions.
  static std::uint64_t Bits(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }
  static std::int64_t Wrapped(std::int64_t ns, std::uint64_t more) {
    return static_cast<std::int64_t>(Bits(ns) + more);
  }

  SpilledVector<std::int32_t> held_;
  std::vector<std::int64_t> base_;  // by block
  LongTimes long_;
};

}  // namespace rankscope
