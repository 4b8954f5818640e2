// Severities on a terminal.
#pragma once

#include <string_view>

#include "table/style.h"

namespace rankscope {

struct SeverityWords {
  std::string_view id;
  std::string_view shown;
  Style style;
};

// Of "high", "medium" and "low"; another is shown as it is.
SeverityWords WordsOfSeverity(std::string_view severity);

}  // namespace rankscope
