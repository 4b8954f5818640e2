// The sentences at the top of the reports, most important first. Every number in them is a cell of
// a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct Headline {
  std::string text;
  std::string_view part;     // the part of device time that it is about, "" = none
  std::string_view section;  // id of the HTML report's section with the details
};

// Losses by size, then outlier ranks, then changed kernels, then growing memory; at most eleven. If
// rules ran, outlier ranks without effect are left out, and findings are not repeated.
std::vector<Headline> Headlines(const Report& report);

}  // namespace rankscope
