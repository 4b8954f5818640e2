// Words shared by plan and outcome.
#pragma once

#include <string>
#include <string_view>

#include "tune/run/spec.h"

namespace rankscope::tune {

// "within TTFT 1.00 s, TPOT 50.0 ms"; "" without limits.
std::string LimitWords(const serving::Objective& limits);
// "32 to 1024, now 256".
std::string RangeWords(const Parameter& parameter);

}  // namespace rankscope::tune
