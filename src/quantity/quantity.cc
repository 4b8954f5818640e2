#include "quantity/quantity.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::quantity {
namespace {

// What Prometheus calls it.
std::string_view UnitWord(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords = {{
      {"W", "watts"},
      {"J", "joules"},
      {"Hz", "hertz"},
      {"C", "celsius"},
      {"bytes/s", "bytes_per_second"},
  }};
  const auto* const found = std::ranges::find(kWords, unit, &decltype(kWords)::value_type::first);
  return found == kWords.end() ? unit : found->second;
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
                                                               &kDeviceHealth,
                                                               &kDeviceXidErrors,
                                                               &kDeviceLastXid,
                                                               &kDeviceProcessMemory,
                                                               &kDeviceFlops,
                                                               &kDeviceFlopsRatio,
                                                               &kDevicePeakFlops,
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

std::string PrometheusName(const Quantity& quantity) {
  std::string name = "rankscope_" + std::string(quantity.name);
  if (!quantity.unit.empty()) name += '_' + std::string(UnitWord(quantity.unit));
  if (quantity.kind == Kind::kCounter) name += "_total";
  return name;
}

}  // namespace rankscope::quantity
