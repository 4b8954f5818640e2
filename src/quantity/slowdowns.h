// Slowdowns: why a device's clocks are held down. `device_slowed` says that one of the defects does
// it; of each reason there is a number of its own, device_slowed_REASON, 1 while it does and 0
// while not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rankscope::quantity {

// Reasons, as drivers are read (device/slowdowns.h). Drivers know more than these.
inline constexpr std::string_view kHardwareThermal = "hardware_thermal";
inline constexpr std::string_view kSoftwareThermal = "software_thermal";
inline constexpr std::string_view kPowerBrake = "power_brake";
inline constexpr std::string_view kHardwareSlowdown = "hardware_slowdown";
inline constexpr std::string_view kSoftwarePowerCap = "software_power_cap";

// Those that are a defect of cooling, power or the device, and no setting: all of the above.
std::span<const std::string_view> SlowdownDefects();
bool IsDefect(std::string_view reason);

// "device_slowed_hardware_thermal".
std::string SlowedBy(std::string_view reason);

}  // namespace rankscope::quantity
