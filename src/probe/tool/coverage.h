// Which of the standard metrics a device gives.
#pragma once

#include <string>

#include "probe/check/spec.h"

namespace rankscope::probe {

struct Coverage {
  std::size_t given = 0, all = 0;
};
Coverage CoverageOf(const DeviceSpec& device);

// A line for every standard metric of every device, and how many it gives.
std::string CoverageText(const Spec& spec);

}  // namespace rankscope::probe
