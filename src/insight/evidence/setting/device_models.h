// The device model of each rank.
#pragma once

#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// By dense number of the rank, from its recording; "" if not stated. Views into the job's captures.
std::vector<std::string_view> DeviceModels(const RuleInput& input);

// Whether these ranks run on models that no other rank has, with all models known.
bool AreOfOtherModels(const RuleInput& input, const std::vector<std::uint32_t>& ranks);

}  // namespace rankscope
