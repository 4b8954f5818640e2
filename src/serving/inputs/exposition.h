// One line of Prometheus' text format or of OpenMetrics: `name{label="value"} 1.5 1700000000`.
//
// Escapes in values of labels (\\, \", \n), names in quotes within the braces, NaN, +Inf,
// exponents, a time behind the value and an exemplar behind `#` are understood.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

struct ExpositionSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // as they stand
  double value = 0;                                         // may be NaN or infinite
  Ns time;
};

// nullopt if it is no sample. The line has no end of line and is not empty or a comment.
std::optional<ExpositionSample> ParseSample(std::string_view line);

}  // namespace rankscope::serving
