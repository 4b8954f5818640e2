#include "agent/devices_json.h"

#include <algorithm>

#include "agent/captures_json.h"
#include "device/flops.h"
#include "json/json_text.h"

namespace rankscope::agent {
namespace {

void AppendKnown(std::string& json, std::string_view key, const device::Known& value) {
  json += fmt::format(",\"{}\":", key);
  if (value) {
    AppendJsonDouble(json, *value);
  } else {
    json += "null";
  }
}

void AppendProcess(std::string& json, const device::DeviceProcess& process,
                   const std::vector<Process>& known) {
  const auto found =
      std::ranges::find_if(known, [&](const Process& one) { return one.info.pid == process.pid; });
  const bool has_rank = found != known.end() && found->info.rank;
  json += fmt::format("{{\"pid\":{},\"memory_bytes\":{},\"rank\":{},\"job\":", process.pid,
                      process.memory_bytes ? std::to_string(*process.memory_bytes) : "null",
                      has_rank ? std::to_string(*found->info.rank) : "null");
  if (found == known.end() || found->info.job_id.empty()) {
    json += "null";
  } else {
    AppendJsonString(json, found->info.job_id);
  }
  json += '}';
}

// What the estimate is held against.
void AppendPeak(std::string& json, const device::Peaks* peaks) {
  if (peaks == nullptr) {
    json += "null";
    return;
  }
  json += "{\"flops_per_s\":";
  AppendJsonDouble(json, peaks->matrix_16.value);
  json += fmt::format(",\"confidence\":\"{}\",\"source\":",
                      device::ToString(peaks->matrix_16.confidence));
  AppendJsonString(json, peaks->source);
  json += '}';
}

}  // namespace

std::string DevicesJson(const std::vector<device::DeviceState>& devices,
                        const std::vector<Process>& processes) {
  std::string json = "{\"devices\":[";
  for (const device::DeviceState& one : devices) {
    if (json.back() != '[') json += ',';
    const device::Health health = HealthOf(one);
    json += fmt::format("{{\"index\":{},\"name\":", one.index);
    AppendJsonString(json, one.name);
    json += ",\"uuid\":";
    AppendJsonString(json, one.uuid);
    json += fmt::format(",\"verdict\":\"{}\",\"reasons\":", ToString(health.verdict));
    AppendTexts(json, health.reasons);
    AppendKnown(json, "busy", one.busy);
    AppendKnown(json, "memory_used_bytes", one.memory_used_bytes);
    AppendKnown(json, "memory_total_bytes", one.memory_total_bytes);
    AppendKnown(json, "power_watts", one.power_watts);
    AppendKnown(json, "sm_clock_hz", one.sm_clock_hz);
    AppendKnown(json, "temperature_celsius", one.temperature_celsius);
    AppendKnown(json, "tensor_active", one.tensor_active);
    AppendKnown(json, "dram_active", one.dram_active);
    AppendKnown(json, "power_limit_watts", one.power_limit_watts);
    AppendKnown(json, "energy_joules", one.energy_joules);
    AppendKnown(json, "xid_errors", one.xid_errors);
    AppendKnown(json, "last_xid", one.last_xid ? device::Known(*one.last_xid) : std::nullopt);
    const auto flops = device::EstimateFlops(one);
    AppendKnown(json, "flops_per_s_estimate",
                flops ? device::Known(flops->flops_per_s) : std::nullopt);
    AppendKnown(json, "flops_ratio_estimate", flops ? device::Known(flops->ratio) : std::nullopt);
    json += ",\"peak\":";
    AppendPeak(json, device::FindPeaks(one.name));
    json += ",\"slowed_by\":";
    if (one.slowed_by) {
      AppendTexts(json, *one.slowed_by);
    } else {
      json += "null";
    }
    json += ",\"processes\":";
    if (one.processes) {
      json += '[';
      for (const device::DeviceProcess& process : *one.processes) {
        if (json.back() != '[') json += ',';
        AppendProcess(json, process, processes);
      }
      json += ']';
    } else {
      json += "null";
    }
    json += '}';
  }
  return json + "]}";
}

}  // namespace rankscope::agent
