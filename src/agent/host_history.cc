#include "agent/host_history.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace rankscope::agent {
namespace {

constexpr std::string_view kCoreWait = "process_core_wait";

bool Has(const Reading& reading, std::string_view key, std::string_view value) {
  return std::ranges::any_of(
      reading.labels, [&](const auto& one) { return one.first == key && one.second == value; });
}

std::optional<double> OnlyOf(const Snapshot& snapshot, std::string_view name) {
  const auto found = snapshot.Named(name);
  return found.empty() ? std::nullopt : std::optional(found.front().value);
}

std::optional<double> StalledBy(const Snapshot& snapshot, std::string_view resource) {
  for (const Reading& one : snapshot.Named("rankscope_pressure_seconds_total")) {
    if (Has(one, "resource", resource) && Has(one, "kind", "some")) return one.value;
  }
  return std::nullopt;
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
    AddRate(snapshot, "host_cpu_pressure", "ratio", StalledBy(snapshot, "cpu"));
    AddRate(snapshot, "host_memory_pressure", "ratio", StalledBy(snapshot, "memory"));
    AddRate(snapshot, "host_io_pressure", "ratio", StalledBy(snapshot, "io"));
  }
  if (snapshot.source == "process") SeeProcesses(snapshot);
  if (snapshot.source != "cpu") return;
  AddRate(snapshot, "host_context_switches", "1/s",
          OnlyOf(snapshot, "rankscope_context_switches_total"));
  if (const auto running = OnlyOf(snapshot, "rankscope_processes_running"))
    Add(snapshot, "host_runnable", "tasks", *running);
  const auto cores =
      std::ranges::count_if(snapshot.Named("rankscope_cpu_seconds_total"),
                            [](const Reading& one) { return Has(one, "mode", "idle"); });
  if (cores > 0) Add(snapshot, "host_cores", "cores", static_cast<double>(cores));
}

void HostHistory::SeeProcesses(const Snapshot& snapshot) {
  std::set<pid_t> there;
  for (const Reading& one : snapshot.Named("rankscope_process_run_queue_seconds_total")) {
    const auto pid = std::ranges::find(one.labels, "pid", &Labels::value_type::first);
    if (pid == one.labels.end()) continue;
    const auto number = static_cast<pid_t>(std::strtol(pid->second.c_str(), nullptr, 10));
    there.insert(number);
    AddRate(snapshot, kCoreWait, "ratio", one.value, number);
  }
  // Numbers of processes are used again.
  std::erase_if(before_, [&](const auto& one) {
    return one.first.first == kCoreWait && !there.contains(one.first.second);
  });
}

void HostHistory::AddRate(const Snapshot& snapshot, std::string_view name, std::string_view unit,
                          std::optional<double> counter, pid_t pid) {
  const auto before = before_.find({name, pid});
  if (!counter) {
    if (before != before_.end()) before_.erase(before);
    return;
  }
  if (before != before_.end() && snapshot.steady_ms > before->second.steady_ms &&
      *counter >= before->second.value) {
    Add(snapshot, name, unit,
        1000 * (*counter - before->second.value) /
            static_cast<double>(snapshot.steady_ms - before->second.steady_ms),
        pid);
  }
  before_[{name, pid}] = {*counter, snapshot.steady_ms};
}

void HostHistory::Add(const Snapshot& snapshot, std::string_view name, std::string_view unit,
                      double value, pid_t pid) {
  kept_.push_back({1000 * snapshot.unix_ms, pid, name, unit, value});
  if (kept_.size() > kMost) kept_.pop_front();
}

std::vector<HostSample> HostHistory::Between(std::int64_t from_unix_us,
                                             std::int64_t to_unix_us) const {
  const std::scoped_lock lock(mutex_);
  std::vector<HostSample> found;
  for (const HostSample& one : kept_) {
    if (one.unix_us >= from_unix_us && one.unix_us <= to_unix_us) found.push_back(one);
  }
  return found;
}

}  // namespace rankscope::agent
