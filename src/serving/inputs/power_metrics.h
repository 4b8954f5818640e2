// Power and energy metrics of devices' exporters.
//
// DCGM's exporter: DCGM_FI_DEV_POWER_USAGE (W), DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION (mJ since the
// driver was loaded). rankscope-agent's /metrics: rankscope_device_power_watts,
// rankscope_device_energy_joules_total.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serving/inputs/exposition.h"

namespace rankscope::serving {

struct PowerMetric {
  bool is_energy = false;
  bool is_of_agent = false;
  double scale = 1;  // to W or J
};
// For a metric of that name; nullopt for any other.
std::optional<PowerMetric> FindPowerMetric(std::string_view name);
// The device named by the labels: by UUID, else gpu or device, after the host if they name one. "":
// they name none.
std::string DeviceOf(const ExpositionSample& sample);
// Whether it is of a part of a device (MIG): DCGM gives the whole device's power for each part.
bool IsOfPart(const ExpositionSample& sample);

}  // namespace rankscope::serving
