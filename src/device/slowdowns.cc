#include "device/slowdowns.h"

#include <array>
#include <string_view>

namespace rankscope::device {
namespace {

struct SlowdownBit {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<SlowdownBit, 9> kSlowdowns = {{
    {0x1, "idle"},
    {0x2, "clocks_setting"},
    {0x4, "software_power_cap"},
    {0x8, "hardware_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "software_thermal"},
    {0x40, "hardware_thermal"},
    {0x80, "power_brake"},
    {0x100, "display_clocks_setting"},
}};

}  // namespace

std::vector<std::string> SlowdownsOf(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const SlowdownBit& one : kSlowdowns) {
    if ((bits & one.bit) != 0) names.emplace_back(one.name);
  }
  return names;
}

}  // namespace rankscope::device
