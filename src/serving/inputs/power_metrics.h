// Metrics of devices' exporters that tell what devices draw.
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
// Of a metric of that name; nullopt for what is none of these.
std::optional<PowerMetric> FindPowerMetric(std::string_view name);
// The device that the labels name: by UUID, else gpu or device; a host where they name one before
// it. "": they name none.
std::string DeviceOf(const ExpositionSample& sample);
// Whether it is of a part of a device (MIG): DCGM tells the whole device's power for each.
bool IsOfPart(const ExpositionSample& sample);

}  // namespace rankscope::serving
