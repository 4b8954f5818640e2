// The part of a specification that is data: sources, metrics, types, libraries. Inner part of
// generate.cc.
#pragma once

#include <string>

#include "probe/check/spec.h"

namespace rankscope::probe {

// The static function Describe(), which makes the device's DeviceSpec without nodes and names.
std::string DescribeFunction(const DeviceSpec& device);

}  // namespace rankscope::probe
