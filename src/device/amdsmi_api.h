// The part of AMD's System Management Interface that we call: names, types and constants as in
// amdsmi.h. Compared with the headers of library versions 24.6 and 24.7 (ROCm 6.1 to 6.3), 26.1
// and 26.5 (ROCm 7). Everything here is the same in all of them, except the struct of a power
// reading, of which there are two. Other versions, such as 25 of ROCm 6.4, are not used. Structs
// end with reserved words that later versions use, so a struct passed to the library must have
// kRoom bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::device::amdsmi {

using Return = unsigned;
inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 2;
inline constexpr std::uint64_t kInitGpus = 2;
using Socket = void*;
using Processor = void*;

inline constexpr std::size_t kRoom = 16384;

// The first word of amdsmi_version_t: the year in 24, the major version since.
inline constexpr std::uint32_t kRocm6 = 24;
inline constexpr std::uint32_t kRocm7 = 26;

inline constexpr unsigned kGpu = 1;      // processor_type_t
inline constexpr unsigned kVram = 0;     // amdsmi_memory_type_t
inline constexpr unsigned kHotspot = 1;  // amdsmi_temperature_type_t
inline constexpr unsigned kEdge = 0;
inline constexpr unsigned kCurrent = 0;   // amdsmi_temperature_metric_t
inline constexpr unsigned kGfxClock = 0;  // amdsmi_clk_type_t
inline constexpr unsigned kMemClock = 4;
inline constexpr std::size_t kNameSize = 256;  // market_name, first of amdsmi_asic_info_t

struct Activity {  // amdsmi_engine_usage_t, in percent; 0xffff or more: unknown
  std::uint32_t gfx, umc, mm;
  std::uint32_t reserved[13];
};
static_assert(sizeof(Activity) == 64);

struct Clock {  // amdsmi_clk_info_t, in MHz
  std::uint32_t now, least, most;
  std::uint8_t is_locked, is_in_deep_sleep;
  std::uint32_t reserved[4];
};
static_assert(sizeof(Clock) == 32);

struct PowerCap {                                       // amdsmi_power_cap_info_t, in uW
  std::uint64_t cap, by_default, dpm_mhz, least, most;  // 0: unknown
  std::uint64_t reserved[3];
};
static_assert(sizeof(PowerCap) == 64);

struct PowerOfRocm6 {  // amdsmi_power_info_t, in W; 0xffff or more: unknown
  std::uint32_t current, average;
};
struct PowerOfRocm7 {
  std::uint64_t socket;
  std::uint32_t current, average;
};
static_assert(offsetof(PowerOfRocm7, current) == 8);

struct Errors {  // amdsmi_error_count_t
  std::uint64_t corrected, uncorrected, deferred;
  std::uint64_t reserved[5];
};
static_assert(sizeof(Errors) == 64);

// The first members of version 26's amdsmi_violation_status_t. Flags: 1 active, 0 not, 255 unknown.
struct Violations {
  std::uint64_t reference_us, violation_ns;
  std::uint64_t counts[7], percents[6];
  std::uint8_t prochot, power, socket_thermal, regulator_thermal, memory_thermal, below_limit;
};
static_assert(offsetof(Violations, prochot) == 120);

}  // namespace rankscope::device::amdsmi
