// By what device hours and findings can be divided.
#pragma once

#include <string>
#include <vector>

namespace rankscope::fleet {

// What answers can be divided by: columns of fleet_run.
std::vector<std::string> DivisionNames();

}  // namespace rankscope::fleet
