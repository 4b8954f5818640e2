#include "agent/host_history.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "agent/telemetry/metric_of.h"

namespace rankscope::agent {
namespace {

bool Has(const Reading& reading, std::string_view key, std::string_view value) {
  return std::ranges::any_of(
      reading.labels, [&](const auto& one) { return one.first == key && one.second == value; });
}

std::span<const Reading> Of(const Snapshot& snapshot, const quantity::Quantity& number) {
  return snapshot.Named(MetricOf(number).name);
}

std::optional<double> OnlyOf(const Snapshot& snapshot, const quantity::Quantity& number) {
  const auto found = Of(snapshot, number);
  return found.empty() ? std::nullopt : std::optional(found.front().value);
}

std::optional<double> StalledBy(const Snapshot& snapshot, std::string_view resource) {
  for (const Reading& one : Of(snapshot, quantity::kPressure)) {
    if (Has(one, "resource", resource) && Has(one, "kind", "some")) return one.value;
  }
  return std::nullopt;
}

std::optional<double> MemoryOf(const Snapshot& snapshot, std::string_view kind) {
  for (const Reading& one : Of(snapshot, quantity::kMemory)) {
    if (Has(one, "kind", kind)) return one.value;
  }
  return std::nullopt;
}

std::optional<double> NetworkOf(const Snapshot& snapshot, std::string_view direction) {
  std::optional<double> sum;
  for (const Reading& one : Of(snapshot, quantity::kNetworkBytes)) {
    if (Has(one, "direction", direction) && !Has(one, "device", "lo"))
      sum = sum.value_or(0) + one.value;
  }
  return sum;
}

// Seconds in which a core did something, over the cores.
std::optional<double> BusyOf(const Snapshot& snapshot) {
  double busy = 0;
  int cores = 0;
  for (const Reading& one : Of(snapshot, quantity::kCpu)) {
    const bool is_idle = Has(one, "mode", "idle");
    cores += is_idle ? 1 : 0;
    // A guest's time is in its user's already.
    const bool counts = !is_idle && !Has(one, "mode", "iowait") && !Has(one, "mode", "guest") &&
                        !Has(one, "mode", "guest_nice");
    if (counts) busy += one.value;
  }
  return cores > 0 ? std::optional(busy / cores) : std::nullopt;
}

}  // namespace

void HostHistory::See(const Snapshots& snapshots) {
  const std::scoped_lock lock(mutex_);
  for (const auto& snapshot : snapshots) {
    std::shared_ptr<const Snapshot>& seen = seen_[snapshot->source];
    if (seen == snapshot) continue;
    seen = snapshot;
    SeeOne(*snapshot);
  }
}

void HostHistory::SeeOne(const Snapshot& snapshot) {
  if (snapshot.source == "pressure") {
    AddRate(snapshot, quantity::kHostCpuPressure, StalledBy(snapshot, "cpu"));
    AddRate(snapshot, quantity::kHostMemoryPressure, StalledBy(snapshot, "memory"));
    AddRate(snapshot, quantity::kHostIoPressure, StalledBy(snapshot, "io"));
  }
  if (snapshot.source == "process") SeeProcesses(snapshot);
  if (snapshot.source == "memory") {
    const auto total = MemoryOf(snapshot, "MemTotal");
    const auto available = MemoryOf(snapshot, "MemAvailable");
    if (total && available && *total > 0)
      Add(snapshot, quantity::kHostMemoryUsed, 1 - *available / *total);
  }
  if (snapshot.source == "network") {
    AddRate(snapshot, quantity::kHostNetworkReceived, NetworkOf(snapshot, "receive"));
    AddRate(snapshot, quantity::kHostNetworkSent, NetworkOf(snapshot, "transmit"));
  }
  if (snapshot.source != "cpu") return;
  AddRate(snapshot, quantity::kHostCpuBusy, BusyOf(snapshot));
  AddRate(snapshot, quantity::kHostContextSwitches, OnlyOf(snapshot, quantity::kContextSwitches));
  if (const auto running = OnlyOf(snapshot, quantity::kProcessesRunning))
    Add(snapshot, quantity::kHostRunnable, *running);
  const auto cores = std::ranges::count_if(
      Of(snapshot, quantity::kCpu), [](const Reading& one) { return Has(one, "mode", "idle"); });
  if (cores > 0) Add(snapshot, quantity::kHostCores, static_cast<double>(cores));
}

void HostHistory::SeeProcesses(const Snapshot& snapshot) {
  std::set<pid_t> there;
  for (const Reading& one : Of(snapshot, quantity::kProcessRunQueue)) {
    const auto pid = std::ranges::find(one.labels, "pid", &Labels::value_type::first);
    if (pid == one.labels.end()) continue;
    const auto number = static_cast<pid_t>(std::strtol(pid->second.c_str(), nullptr, 10));
    there.insert(number);
    AddRate(snapshot, quantity::kProcessCoreWait, one.value, number);
  }
  // Numbers of processes are used again.
  std::erase_if(before_, [&](const auto& one) {
    return one.first.first == &quantity::kProcessCoreWait && !there.contains(one.first.second);
  });
}

void HostHistory::AddRate(const Snapshot& snapshot, const quantity::Quantity& number,
                          std::optional<double> counter, pid_t pid) {
  const auto before = before_.find({&number, pid});
  if (!counter) {
    if (before != before_.end()) before_.erase(before);
    return;
  }
  if (before != before_.end() && snapshot.steady_ms > before->second.steady_ms &&
      *counter >= before->second.value) {
    const double rate = 1000 * (*counter - before->second.value) /
                        static_cast<double>(snapshot.steady_ms - before->second.steady_ms);
    // The kernel counts by a clock of its own: all of the time may be a little more.
    Add(snapshot, number, number.unit == "ratio" ? std::min(1.0, rate) : rate, pid);
  }
  before_[{&number, pid}] = {*counter, snapshot.steady_ms};
}

void HostHistory::Add(const Snapshot& snapshot, const quantity::Quantity& number, double value,
                      pid_t pid) {
  kept_.Add({1000 * snapshot.unix_ms, pid, &number, value});
}

std::vector<HostSample> HostHistory::Between(std::int64_t from_unix_us,
                                             std::int64_t to_unix_us) const {
  const std::scoped_lock lock(mutex_);
  return kept_.Between(from_unix_us, to_unix_us);
}

Kept<HostSample>::Rest HostHistory::From(std::uint64_t from, std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  return kept_.From(from, most);
}

}  // namespace rankscope::agent
