// What a search asks to run, and the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/search/space.h"

namespace rankscope::tune {

enum class Stage : std::uint8_t {
  kBaseline,  // the defaults, repeated: how much do equal runs differ?
  kDesign,    // points that fill the space
  kSearch,    // where a gain is expected
  kFinal,     // the best and the defaults, on equal schedules
};
std::string_view ToString(Stage stage);

struct Suggestion {
  Point point;
  // Seed of the load: runs with the same schedule should get the same requests.
  std::uint64_t schedule = 0;
  Stage stage = Stage::kBaseline;
};

struct Measurement {
  bool crashed = false;         // it did not start, or died; the other fields then have no meaning
  double objective = 0;         // more is better; 0 or more
  std::vector<double> metrics;  // per limit, in their order; NaN: could not be measured
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
