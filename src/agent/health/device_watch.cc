#include "agent/health/device_watch.h"

#include <fmt/core.h>

#include <set>
#include <utility>

namespace rankscope::agent {
namespace {

std::string Joined(const std::vector<std::string>& reasons) {
  std::string all;
  for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
  return all;
}

}  // namespace

std::string ReasonOf(const TroubledDevice& device) {
  return fmt::format("device {}{} {}{}", device.index,
                     device.uuid.empty() ? "" : fmt::format(" ({})", device.uuid),
                     device.verdict == device::Verdict::kFailed ? "failed" : "is degraded",
                     device.reason.empty() ? "" : ": " + device.reason);
}

void DeviceWatch::See(const std::vector<device::DeviceState>& devices, std::int64_t steady_ms) {
  std::set<int> told;
  for (const device::DeviceState& state : devices) {
    told.insert(state.index);
    const auto [found, is_new] = devices_.try_emplace(state.index);
    Seen& seen = found->second;
    if (!is_new && seen.uuid != state.uuid) seen = {};
    seen.uuid = state.uuid;
    const device::Health health = HealthOf(state);
    Judge(health.verdict, Joined(health.reasons), steady_ms, seen);
  }
  for (auto& [index, seen] : devices_) {
    if (!told.contains(index))
      Judge(device::Verdict::kFailed, "its driver tells of it no more", steady_ms, seen);
  }
}

void DeviceWatch::Judge(device::Verdict verdict, std::string reason, std::int64_t steady_ms,
                        Seen& seen) {
  if (seen.verdict == device::Verdict::kOk) seen.degraded_since_ms = steady_ms;
  if (seen.verdict != device::Verdict::kFailed) seen.failed_since_ms = steady_ms;
  seen.verdict = verdict;
  seen.reason = std::move(reason);
}

std::vector<TroubledDevice> DeviceWatch::Troubled() const {
  std::vector<TroubledDevice> troubled;
  for (const auto& [index, seen] : devices_) {
    if (seen.verdict == device::Verdict::kOk) continue;
    troubled.push_back({.index = index,
                        .uuid = seen.uuid,
                        .verdict = seen.verdict,
                        .reason = seen.reason,
                        .since_ms = seen.verdict == device::Verdict::kFailed
                                        ? seen.failed_since_ms
                                        : seen.degraded_since_ms});
  }
  return troubled;
}

}  // namespace rankscope::agent
