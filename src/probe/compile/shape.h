// Generates the data part of a specification: sources, metrics, types, libraries. Internal to
// generate.cc.
#pragma once

#include <string>

#include "probe/check/spec.h"

namespace rankscope::probe {

// The static function Describe(), which makes the device's DeviceSpec, without nodes and names.
std::string DescribeFunction(const DeviceSpec& device);

}  // namespace rankscope::probe
