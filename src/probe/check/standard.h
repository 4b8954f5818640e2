// The standard metrics: a closed list, the same for every maker, so that checks of health and load
// balancers read one name. A specification's own metrics begin with `vendor_`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::probe {

enum class MetricKind : std::uint8_t {
  kGauge,    // gauge(): a level now
  kCounter,  // counter(): a sum since a moment of the device's own
  kFlag,     // a condition, as it stands
  kState,    // one of several words
  kText,     // a text, as it stands
};

struct StandardMetric {
  std::string_view name;
  MetricKind kind;
  std::string_view unit;  // a name of unit.h; "" of what is no number
  std::string_view about;
};

std::span<const StandardMetric> StandardMetrics();
const StandardMetric* FindStandard(std::string_view name);  // nullptr: not in the list

inline constexpr std::string_view kVendorPrefix = "vendor_";
// The words of `health`.
std::span<const std::string_view> HealthWords();

}  // namespace rankscope::probe
