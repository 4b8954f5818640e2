// Which of the standard metrics a device provides.
#pragma once

#include <string>

#include "probe/check/spec.h"

namespace rankscope::probe {

struct Coverage {
  std::size_t given = 0, all = 0;
};
Coverage CoverageOf(const DeviceSpec& device);

// A line per standard metric and device, and the number of metrics provided.
std::string CoverageText(const Spec& spec);

}  // namespace rankscope::probe
