// What devices run, in the order of their streams.
#pragma once

#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct DeviceStreams {
  explicit DeviceStreams(const RuleInput& input);
  std::vector<std::vector<NodeId>> nodes;  // by stream
};

}  // namespace rankscope
