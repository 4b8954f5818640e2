// ShortTimes: times in 4 bytes each, for nearly all values within +-2.1 s; longer ones are stored
// separately.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>

#include "base/spilled_vector.h"

namespace rankscope {

// A row holds the time itself, or a marker that it is stored separately. For columns with their own
// storage of rows.
class LongTimes {
 public:
  std::int64_t Read(std::size_t row, std::int32_t held) const {
    return held != kBeside ? held : beside_.find(row)->second;
  }
  // The new value of the row.
  std::int32_t Put(std::size_t row, std::int64_t ns) {
    if (ns > kBeside && ns <= INT32_MAX) return static_cast<std::int32_t>(ns);
    beside_[row] = ns;
    return kBeside;
  }

 private:
  static constexpr std::int32_t kBeside = INT32_MIN;

  boost::unordered_flat_map<std::size_t, std::int64_t> beside_;
};

class ShortTimes {
 public:
  std::size_t size() const { return held_.size(); }
  std::int64_t operator[](std::size_t row) const { return long_.Read(row, held_[row]); }
  void Set(std::size_t row, std::int64_t ns) { held_[row] = long_.Put(row, ns); }
  // New rows are 0.
  void Resize(std::size_t rows) { held_.resize(rows, 0); }
  void Reserve(std::size_t rows) { held_.reserve(rows); }

 private:
  SpilledVector<std::int32_t> held_;
  LongTimes long_;
};

}  // namespace rankscope
