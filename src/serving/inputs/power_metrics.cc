#include "serving/inputs/power_metrics.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace rankscope::serving {

std::optional<PowerMetric> FindPowerMetric(std::string_view name) {
  if (name == "DCGM_FI_DEV_POWER_USAGE") return PowerMetric{};
  if (name == "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
    return PowerMetric{.is_energy = true, .scale = 1e-3};
  if (name == "rankscope_device_power_watts") return PowerMetric{.is_of_agent = true};
  if (name == "rankscope_device_energy_joules_total")
    return PowerMetric{.is_energy = true, .is_of_agent = true};
  return std::nullopt;
}

namespace {

std::string_view LabelOf(const ExpositionSample& sample, std::string_view name) {
  const auto found =
      std::ranges::find(sample.labels, name, &std::pair<std::string, std::string>::first);
  return found == sample.labels.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

std::string DeviceOf(const ExpositionSample& sample) {
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (const std::string_view value = LabelOf(sample, name); !value.empty())
        return std::string(value);
    }
    return std::string();
  };
  const std::string host = first_of({"Hostname", "hostname", "host", "instance"});
  const std::string device = first_of({"UUID", "uuid", "gpu", "device"});
  return host.empty() ? device : host + " " + device;
}

bool IsOfPart(const ExpositionSample& sample) { return !LabelOf(sample, "GPU_I_ID").empty(); }

}  // namespace rankscope::serving
