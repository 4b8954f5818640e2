// The standard metrics: a closed list, the same for every maker, so that health checks and load
// balancers can rely on one name. A specification's own metrics begin with `vendor_`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::probe {

enum class MetricKind : std::uint8_t {
  kGauge,    // gauge(): the current level
  kCounter,  // counter(): a sum since a moment that the device chooses
  kFlag,     // a condition, unchanged
  kState,    // one of several words
  kText,     // a text, unchanged
};

struct StandardMetric {
  std::string_view name;
  MetricKind kind;
  std::string_view unit;  // a name of unit.h; "" if it is not a number
  std::string_view about;
};

std::span<const StandardMetric> StandardMetrics();
const StandardMetric* FindStandard(std::string_view name);  // nullptr: not a standard metric

inline constexpr std::string_view kVendorPrefix = "vendor_";
// The possible values of `health`.
std::span<const std::string_view> HealthWords();

}  // namespace rankscope::probe
