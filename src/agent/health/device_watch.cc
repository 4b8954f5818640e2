#include "agent/health/device_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace rankscope::agent {
namespace {

std::string Joined(const std::vector<std::string>& reasons) {
  std::string all;
  for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
  return all;
}

std::string PlaceOf(const device::DeviceState& state) {
  return state.id.empty() ? fmt::format("#{}", state.index) : state.id;
}

}  // namespace

std::string ReasonOf(const TroubledDevice& device) {
  return fmt::format("device {}{} {}{}", device.index,
                     device.uuid.empty() ? "" : fmt::format(" ({})", device.uuid),
                     device.verdict == device::Verdict::kFailed ? "failed" : "is degraded",
                     device.reason.empty() ? "" : ": " + device.reason);
}

DeviceWatch::Seen& DeviceWatch::Find(const device::DeviceState& state) {
  const std::string place = PlaceOf(state);
  const auto find = [&](const auto& is_it) {
    return std::ranges::find_if(devices_,
                                [&](const Seen& seen) { return !seen.is_told && is_it(seen); });
  };
  auto found =
      find([&](const Seen& seen) { return seen.place == place && seen.uuid == state.uuid; });
  // It has another place or number now.
  if (found == devices_.end() && !state.uuid.empty())
    found = find([&](const Seen& seen) { return seen.uuid == state.uuid; });
  if (found == devices_.end()) found = find([&](const Seen& seen) { return seen.place == place; });
  if (found == devices_.end()) found = devices_.insert(found, Seen{});
  // A uuid that is unknown for now is no other device.
  const bool is_other = !found->uuid.empty() && !state.uuid.empty() && found->uuid != state.uuid;
  if (is_other) *found = {};
  found->index = state.index;
  found->place = place;
  if (!state.uuid.empty()) found->uuid = state.uuid;
  return *found;
}

void DeviceWatch::See(const std::vector<device::DeviceState>& devices, std::int64_t steady_ms,
                      const SpecVersions& versions) {
  const auto version_of = [&](const std::string& file) {
    const auto found = versions.find(file);
    return found == versions.end() ? 0 : found->second;
  };
  for (Seen& seen : devices_) seen.is_told = false;
  for (const device::DeviceState& state : devices) {
    Seen& seen = Find(state);
    seen.is_told = true;
    seen.file = state.file;
    seen.version = version_of(state.file);
    const device::Health health = HealthOf(state);
    Judge(health.verdict, Joined(health.reasons), steady_ms, seen);
  }
  std::erase_if(devices_, [&](const Seen& seen) {
    return !seen.is_told && seen.version != version_of(seen.file);
  });
  for (Seen& seen : devices_)
    if (!seen.is_told)
      Judge(device::Verdict::kFailed, "its driver tells of it no more", steady_ms, seen);
  std::ranges::stable_sort(devices_, {}, &Seen::index);
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
  for (const Seen& seen : devices_) {
    if (seen.verdict == device::Verdict::kOk) continue;
    troubled.push_back({.index = seen.index,
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
