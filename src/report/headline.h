// What matters first, in plain words: the sentences at the top of the reports. Every number in them
// is a cell of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace rankscope {

struct Headline {
  std::string text;
  std::string_view part;     // the part of device time that it is about, "" = none
  std::string_view section;  // id of the HTML report's section with the details
};

// Losses by size, then ranks that stand out, then kernels that changed, then memory that grows; at
// most eleven. Where rules ran, ranks that stand out without effect are no news, and what is a
// finding is not said twice.
std::vector<Headline> Headlines(const Report& report);

}  // namespace rankscope
