#include "agent/run_samples.h"

#include <algorithm>
#include <array>

#include "table/json_text.h"

namespace rankscope::agent {
namespace {

using device::DeviceState;
using device::Known;

struct Told {
  std::string_view name;
  std::string_view unit;
  Known DeviceState::*place;
};
constexpr std::array<Told, 7> kTold = {{
    {"device_busy", "ratio", &DeviceState::busy},
    {"device_power", "W", &DeviceState::power_watts},
    {"device_sm_clock", "Hz", &DeviceState::sm_clock_hz},
    {"device_temperature", "C", &DeviceState::temperature_celsius},
    {"device_memory_used", "bytes", &DeviceState::memory_used_bytes},
    {"device_tensor_active", "ratio", &DeviceState::tensor_active},
    {"device_dram_active", "ratio", &DeviceState::dram_active},
}};

bool IsUsedBy(const DeviceState& state, pid_t pid) {
  return state.processes && std::ranges::find(*state.processes, pid, &device::DeviceProcess::pid) !=
                                state.processes->end();
}

// local_rank below 0: not known.
const DeviceState* DeviceOf(const std::vector<DeviceState>& states, pid_t pid,
                            std::int64_t local_rank) {
  for (const DeviceState& state : states) {
    if (IsUsedBy(state, pid)) return &state;
  }
  // In a container the driver says other numbers, or none.
  for (const DeviceState& state : states) {
    if (state.index == local_rank) return &state;
  }
  return nullptr;
}

}  // namespace

std::string RunSamplesJson(const std::vector<DevicesThen>& history, const CaptureMember& member,
                           const std::vector<Process>& processes, std::string_view host) {
  if (!member.rank) return {};
  const auto process = std::ranges::find_if(
      processes, [&](const Process& one) { return one.info.pid == member.pid; });
  const std::int64_t local_rank =
      process == processes.end() ? -1 : process->info.local_rank.value_or(-1);
  std::string json = "[";
  for (const DevicesThen& then : history) {
    const DeviceState* state = DeviceOf(then.states, member.pid, local_rank);
    if (state == nullptr) continue;
    for (const Told& told : kTold) {
      const Known& value = state->*told.place;
      if (!value) continue;
      if (json.size() > 1) json += ',';
      json +=
          fmt::format("{{\"time\":\"{}\",\"name\":\"{}\",\"unit\":\"{}\",\"rank\":{},\"value\":",
                      then.unix_us * 1000, told.name, told.unit, *member.rank);
      AppendJsonDouble(json, *value);
      json += ",\"host\":";
      AppendJsonString(json, host);
      json += '}';
    }
  }
  return json.size() > 1 ? json + "]" : "";
}

}  // namespace rankscope::agent
