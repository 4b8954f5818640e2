#include "quantity/slowdowns.h"

#include <algorithm>
#include <array>

#include "quantity/quantity.h"

namespace rankscope::quantity {

std::span<const std::string_view> SlowdownDefects() {
  static constexpr std::array<std::string_view, 5> kDefects = {
      kHardwareThermal, kSoftwareThermal, kPowerBrake, kHardwareSlowdown, kSoftwarePowerCap};
  return kDefects;
}

bool IsDefect(std::string_view reason) {
  return std::ranges::find(SlowdownDefects(), reason) != SlowdownDefects().end();
}

std::string SlowedBy(std::string_view reason) {
  return std::string(kDeviceSlowed.name) + "_" + std::string(reason);
}

}  // namespace rankscope::quantity
