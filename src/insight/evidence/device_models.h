// Which model of device each rank runs on.
#pragma once

#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// By dense number of the rank, as its recording states it; "" where it does not. Views into the
// job's captures.
std::vector<std::string_view> DeviceModels(const RuleInput& input);

// Whether these ranks run on models that none of the others has, all of them known.
bool AreOfOtherModels(const RuleInput& input, const std::vector<std::uint32_t>& ranks);

}  // namespace rankscope
