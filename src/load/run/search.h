// Which rates to try, so that a few levels show how much a server takes.
//
// First one user alone, whose answers tell how long a request takes when nobody else is there. Then
// open levels from one request per such time on, twice the rate each time, until the server is
// overloaded or the objective is not kept; then between the last good and the first bad rate,
// halved by their logarithms, until they lie within kPrecision of each other.
#pragma once

#include <optional>
#include <vector>

#include "load/base/spec.h"
#include "serving/load/level.h"

namespace rankscope::load {

class RateSearch {
 public:
  static constexpr double kPrecision = 1.15;
  static constexpr int kMostLevels = 14;

  explicit RateSearch(std::int64_t sending) : sending_(sending) {}
  // The level to run next; nullopt: it is over.
  std::optional<LevelSpec> Next() const;
  void Tell(const serving::LevelResult& result);

 private:
  const std::int64_t sending_;
  static constexpr int kMostInvalid = 2;
  int levels_ = 0, invalid_ = 0;
  double alone_per_s_ = 0;
  double good_per_s_ = 0, bad_per_s_ = 0;  // 0: none yet
};

}  // namespace rankscope::load
