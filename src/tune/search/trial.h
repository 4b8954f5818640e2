// What a search asks to be run, and what comes back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/search/space.h"

namespace rankscope::tune {

enum class Stage : std::uint8_t {
  kBaseline,  // the defaults, again and again: how much do equal runs differ?
  kDesign,    // points that fill the space
  kSearch,    // where a gain is expected
  kFinal,     // the best and the defaults, on equal schedules
};
std::string_view ToString(Stage stage);

struct Suggestion {
  Point point;
  // What the load is drawn by: runs of one schedule are to see the same requests.
  std::uint64_t schedule = 0;
  Stage stage = Stage::kBaseline;
};

struct Measurement {
  bool crashed = false;         // it did not start, or died; the rest is without meaning then
  double objective = 0;         // more is better; 0 or more
  std::vector<double> metrics;  // of the limits, in their order; NaN: could not be measured
};

struct Trial {
  Suggestion asked;
  Measurement measured;
};

// metric <= most, both above 0
struct Limit {
  std::string metric;
  double most = 0;

  friend bool operator==(const Limit&, const Limit&) = default;
};

}  // namespace rankscope::tune
