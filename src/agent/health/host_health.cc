#include "agent/health/host_health.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastSilence{60'000};
constexpr int kIntervalsOfSilence = 6;

api::DeviceLoad LoadOf(const device::DeviceState& state) {
  const device::Health health = HealthOf(state);
  api::DeviceLoad load{.index = state.index,
                       .uuid = state.uuid,
                       .verdict = std::string(ToString(health.verdict)),
                       .reasons = health.reasons,
                       .busy = state.busy};
  if (state.memory_used_bytes && state.memory_total_bytes && *state.memory_total_bytes > 0)
    load.memory_used = *state.memory_used_bytes / *state.memory_total_bytes;
  return load;
}

}  // namespace

HostHealth::HostHealth(DrainOptions drain, std::string host, milliseconds interval,
                       std::function<void(std::string_view)> said)
    : host_(std::move(host)),
      silence_(std::max(kLeastSilence, kIntervalsOfSilence * interval)),
      hook_(std::move(drain), host_, std::move(said)) {}

void HostHealth::Look(const DevicesThen& last, Now now) {
  watch_.See(last.states, now.steady_ms, last.spec_versions);
  std::vector<TroubledDevice> troubled = watch_.Troubled();
  hook_.Look(troubled, now);
  const std::scoped_lock lock(mutex_);
  troubled_ = std::move(troubled);
}

api::HostLoad HostHealth::Load(const DevicesThen& last, Now now) const {
  api::HostLoad load{.host = host_, .status = last.states.empty() ? "unknown" : "ok"};
  double busy = 0;
  int told = 0;
  for (const device::DeviceState& state : last.states) {
    load.devices.push_back(LoadOf(state));
    const api::DeviceLoad& one = load.devices.back();
    if (one.busy) {
      busy += *one.busy;
      ++told;
    }
    if (one.memory_used)
      load.memory_used = std::max(load.memory_used.value_or(0), *one.memory_used);
  }
  if (told > 0) load.busy = busy / told;
  {
    const std::scoped_lock lock(mutex_);
    for (const TroubledDevice& device : troubled_) {
      load.reasons.push_back(ReasonOf(device));
      if (load.status != "failed") load.status = ToString(device.verdict);
      load.accepts_work = load.accepts_work && device.verdict != device::Verdict::kFailed;
    }
  }
  if (last.unix_us > 0) {
    load.read_ms_ago = std::max<std::int64_t>(0, (now.unix_us - last.unix_us) / 1000);
    if (*load.read_ms_ago > silence_.count()) {
      load.reasons.push_back(fmt::format("the drivers of the devices have told nothing for {} s",
                                         *load.read_ms_ago / 1000));
      if (load.status != "failed") load.status = "unknown";
      load.accepts_work = false;
    }
  }
  const DrainState drain = hook_.State();
  load.drain = ToString(drain.drain);
  if (drain.drain == Drain::kRunning || drain.drain == Drain::kDrained) {
    load.accepts_work = false;
    load.reasons.push_back("drained: " + drain.reason);
  }
  return load;
}

}  // namespace rankscope::agent
