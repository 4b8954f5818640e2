// Selector: selects readings, as people write it: device_power_watts{device="0"}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/telemetry/sample.h"
#include "base/status.h"

namespace rankscope::agent {

struct Selector {
  std::string name;  // whole: "rankscope_device_power_watts"
  Labels labels;     // that a reading has to have, among others

  bool Matches(const Reading& reading) const;
};

// With the prefix "rankscope_", which people leave out.
std::string WholeName(std::string_view name);

// Parses from text[at] and moves `at` past it. kInvalidArgument names the column, from 1 on.
Result<Selector> TakeSelector(std::string_view text, std::size_t& at);

// NAME{a="b",c="d"} of labels; nothing for none.
std::string ToText(const Labels& labels);

}  // namespace rankscope::agent
