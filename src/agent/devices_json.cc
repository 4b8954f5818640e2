#include "agent/devices_json.h"

#include <algorithm>

#include "device/flops.h"
#include "peaks/device_peaks.h"

namespace rankscope::agent {
namespace {

api::DeviceProcess Reported(const device::DeviceProcess& process, const std::vector<Process>& known,
                            const std::function<Placed(pid_t)>& placed) {
  api::DeviceProcess reported{.pid = process.pid, .memory_bytes = process.memory_bytes};
  const Placed where = placed(process.pid);
  reported.container = where.place.container;
  reported.container_name = where.names.container;
  reported.pod_uid = where.place.pod_uid;
  reported.pod = PodText(where.names);
  const auto found =
      std::ranges::find_if(known, [&](const Process& one) { return one.info.pid == process.pid; });
  if (found == known.end()) return reported;
  reported.rank = found->info.rank;
  reported.job = found->info.job_id;
  return reported;
}

std::optional<api::DevicePeak> PeakOf(const std::string& name) {
  const DevicePeaks* const peaks = FindPeaks(name);
  if (peaks == nullptr) return std::nullopt;
  return api::DevicePeak{
      .flops_per_s = peaks->matrix_16.value,
      .confidence = std::string(rankscope::ToString(peaks->matrix_16.confidence)),
      .source = std::string(peaks->source)};
}

api::ReportedDevice Reported(const device::DeviceState& one, const std::vector<Process>& known,
                             const std::function<Placed(pid_t)>& placed) {
  const device::Health health = HealthOf(one);
  api::ReportedDevice reported{.index = one.index,
                               .name = one.name,
                               .uuid = one.uuid,
                               .verdict = std::string(ToString(health.verdict)),
                               .reasons = health.reasons,
                               .busy = one.busy,
                               .memory_used_bytes = one.memory_used_bytes,
                               .memory_total_bytes = one.memory_total_bytes,
                               .power_watts = one.power_watts,
                               .sm_clock_hz = one.sm_clock_hz,
                               .temperature_celsius = one.temperature_celsius,
                               .tensor_active = one.tensor_active,
                               .dram_active = one.dram_active,
                               .power_limit_watts = one.power_limit_watts,
                               .energy_joules = one.energy_joules,
                               .xid_errors = one.xid_errors,
                               .peak = PeakOf(one.name),
                               .slowed_by = one.slowed_by};
  for (const auto& [from, to] : {std::pair(&one.serial, &reported.serial),
                                 {&one.firmware, &reported.firmware},
                                 {&one.driver, &reported.driver}}) {
    if (!from->empty()) *to = *from;
  }
  if (one.last_xid) reported.last_xid = *one.last_xid;
  // What the estimate is held against is the peak.
  if (const auto flops = device::EstimateFlops(one)) {
    reported.flops_per_s_estimate = flops->flops_per_s;
    reported.flops_ratio_estimate = flops->ratio;
  }
  if (!one.processes) return reported;
  reported.processes.emplace();
  for (const device::DeviceProcess& process : *one.processes)
    reported.processes->push_back(Reported(process, known, placed));
  return reported;
}

}  // namespace

api::ReportedDevices Reported(const std::vector<device::DeviceState>& devices,
                              const std::vector<Process>& processes,
                              const std::function<Placed(pid_t)>& placed) {
  api::ReportedDevices reported;
  for (const device::DeviceState& one : devices)
    reported.devices.push_back(Reported(one, processes, placed));
  return reported;
}

}  // namespace rankscope::agent
