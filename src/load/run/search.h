// Chooses the rates to try, so that a few levels show how much load a server can take.
//
// The first level is a single user, whose answers show how long a request takes on an idle server.
// Then open levels start at one request per such time and double the rate until the server is
// overloaded or misses the objective. Then it bisects, by logarithm, between the last good and the
// first bad rate until they are within kPrecision of each other.
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
  // The next level; nullopt: the search is over.
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
