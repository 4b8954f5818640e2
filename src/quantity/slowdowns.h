// Slowdowns: the reasons for low device clocks. `device_slowed` is 1 for any of the defects; each
// reason has its own metric, device_slowed_REASON, which is 1 while it applies, else 0.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rankscope::quantity {

// Reasons read from drivers (device/slowdowns.h). Drivers know more than these.
inline constexpr std::string_view kHardwareThermal = "hardware_thermal";
inline constexpr std::string_view kSoftwareThermal = "software_thermal";
inline constexpr std::string_view kPowerBrake = "power_brake";
inline constexpr std::string_view kHardwareSlowdown = "hardware_slowdown";
inline constexpr std::string_view kSoftwarePowerCap = "software_power_cap";

// Reasons that are a defect of cooling, power or the device, not a setting: all of the above.
std::span<const std::string_view> SlowdownDefects();
bool IsDefect(std::string_view reason);

// "device_slowed_hardware_thermal".
std::string SlowedBy(std::string_view reason);

}  // namespace rankscope::quantity
