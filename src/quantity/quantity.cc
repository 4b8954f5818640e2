#include "quantity/quantity.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::quantity {
namespace {

// What Prometheus calls it.
std::string_view UnitWord(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords = {{
      {"s", "seconds"},
      {"W", "watts"},
      {"J", "joules"},
      {"Hz", "hertz"},
      {"C", "celsius"},
      {"bytes/s", "bytes_per_second"},
      {"FLOP/s", "flops_per_second"},
  }};
  const auto* const found = std::ranges::find(kWords, unit, &decltype(kWords)::value_type::first);
  return found == kWords.end() ? unit : found->second;
}

std::vector<std::string_view> LabelsOf(Scope scope) {
  switch (scope) {
    case Scope::kDevice:
      return {"device", "name", "uuid"};
    case Scope::kProcess:
      return {"pid", "command", "job", "rank"};
    case Scope::kJob:
      return {"pid", "job", "rank"};
    case Scope::kHost:
    case Scope::kAgent:
      return {};
  }
  return {};
}

}  // namespace

std::span<const Quantity* const> All() {
  static constexpr auto kAll = std::to_array<const Quantity*>({&kDeviceBusy,
                                                               &kDeviceMemoryBusy,
                                                               &kDeviceMemoryUsed,
                                                               &kDeviceMemoryTotal,
                                                               &kDevicePower,
                                                               &kDevicePowerLimit,
                                                               &kDeviceEnergy,
                                                               &kDeviceSmClock,
                                                               &kDeviceSmClockMax,
                                                               &kDeviceMemoryClock,
                                                               &kDeviceTemperature,
                                                               &kDeviceSmActive,
                                                               &kDeviceSmOccupancy,
                                                               &kDeviceTensorActive,
                                                               &kDeviceFp64Active,
                                                               &kDeviceFp32Active,
                                                               &kDeviceFp16Active,
                                                               &kDeviceDramActive,
                                                               &kDevicePcieSent,
                                                               &kDevicePcieReceived,
                                                               &kDeviceNvlinkSent,
                                                               &kDeviceNvlinkReceived,
                                                               &kDeviceErrorsCorrected,
                                                               &kDeviceErrorsUncorrected,
                                                               &kDeviceSlowed,
                                                               &kHostCpuBusy,
                                                               &kHostCpuPressure,
                                                               &kHostMemoryUsed,
                                                               &kHostMemoryPressure,
                                                               &kHostIoPressure,
                                                               &kHostNetworkReceived,
                                                               &kHostNetworkSent,
                                                               &kHostRunnable,
                                                               &kHostCores,
                                                               &kHostContextSwitches,
                                                               &kProcessCoreWait});
  return kAll;
}

const Quantity* Find(std::string_view name) {
  const auto all = All();
  const auto found = std::ranges::find(all, name, &Quantity::name);
  return found == all.end() ? nullptr : *found;
}

std::vector<std::string_view> LabelsOf(const Quantity& quantity) {
  std::vector<std::string_view> labels = LabelsOf(quantity.scope);
  for (const std::string_view own : quantity.labels) {
    if (!own.empty()) labels.push_back(own);
  }
  return labels;
}

std::string PrometheusName(const Quantity& quantity) {
  std::string name = "rankscope_" + std::string(quantity.name);
  const std::string_view unit = UnitWord(quantity.unit);
  if (!unit.empty() && quantity.name.find(unit) == std::string_view::npos)
    name += '_' + std::string(unit);
  if (quantity.kind == Kind::kCounter) name += "_total";
  return name;
}

}  // namespace rankscope::quantity
