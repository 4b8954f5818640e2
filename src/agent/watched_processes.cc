#include "agent/watched_processes.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rankscope::agent {
namespace {

void AddPlace(const Placed& placed, Labels& labels) {
  const auto add = [&](std::string_view label, std::string_view text) {
    if (!text.empty()) labels.emplace_back(label, text);
  };
  constexpr std::size_t kShownId = 12;  // as runtimes show them
  add("pod_uid", placed.place.pod_uid);
  add("container_id", std::string_view(placed.place.container).substr(0, kShownId));
  add("namespace", placed.names.pod_namespace);
  add("pod", placed.names.pod);
  add("container", placed.names.container);
}

}  // namespace

std::function<Placed(pid_t)> ProcessPlaces::Of(const std::vector<Process>& known) const {
  return [this, &known](pid_t pid) -> Placed {
    for (const Process& process : known) {
      if (process.info.pid == pid) return process.info.placed;
    }
    Placed placed{.place = ReadPlace(root_, pid), .names = {}};
    placed.names = pods_.NamesOf(placed.place);
    return placed;
  };
}

std::vector<WatchedProcess> ProcessesToWatch(const std::vector<Process>& training,
                                             const std::vector<device::DeviceState>& devices,
                                             const ProcessPlaces& places) {
  const auto placed = places.Of(training);
  std::vector<WatchedProcess> watched;
  const auto add = [&](pid_t pid) {
    if (watched.size() >= kMostWatched ||
        std::ranges::find(watched, pid, &WatchedProcess::pid) != watched.end())
      return;
    WatchedProcess one{.pid = pid, .labels = {}};
    for (const Process& process : training) {
      if (process.info.pid != pid) continue;
      one.labels.emplace_back("job", GroupOf(process));
      if (process.info.rank) one.labels.emplace_back("rank", std::to_string(*process.info.rank));
    }
    AddPlace(placed(pid), one.labels);
    watched.push_back(std::move(one));
  };
  for (const device::DeviceState& state : devices) {
    if (!state.processes) continue;
    for (const device::DeviceProcess& process : *state.processes) add(process.pid);
  }
  for (const Process& process : training) add(process.info.pid);
  return watched;
}

}  // namespace rankscope::agent
