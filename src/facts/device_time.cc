#include "facts/device_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "facts/idle_splitter.h"

namespace rankscope {
namespace {

// The host thread that launched most of this work; kNoAux when no launch is known.
std::uint32_t LaunchingThread(const RankTrace& trace, const std::vector<Row>& work) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const Row row : work) {
    if (trace.link[row] != kNoRow) ++counts[trace.track[trace.link[row]]];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? kNoAux : most->first;
}

void SplitIdle(const RankTrace& trace, const HostActivity& host, const MissingWork& missing,
               DeviceTime& device) {
  const IdleSplitter splitter(trace, host, missing, [&](IdleCause cause, Interval part) {
    device.idle[static_cast<int>(cause)].push_back(part);
  });
  std::int64_t busy_until = trace.begin_ns;
  Row last = kNoRow;
  for (const Row row : device.work) {
    const std::int64_t begin = trace.ts_ns[row];
    const std::int64_t end = trace.end_ns(row);
    if (end <= begin) continue;  // work without extent ends no gap
    if (begin > busy_until) splitter.Before({busy_until, begin}, last, row);
    if (end > busy_until) {
      busy_until = end;
      last = row;
    }
  }
  if (trace.finish_ns > busy_until) {
    splitter.AfterAll({busy_until, trace.finish_ns}, LaunchingThread(trace, device.work));
  }
}

}  // namespace

void LeaveIdleUnobserved(const RankTrace& trace, DeviceTime& device) {
  const IntervalSet busy =
      Unite(Unite(device.compute, device.exposed_communication), device.exposed_copy);
  for (IntervalSet& idle : device.idle) idle.clear();
  device.not_observed = Subtract(IntervalSet{{trace.begin_ns, trace.finish_ns}}, busy);
}

std::vector<DeviceTime> DeviceTimes(const RankTrace& trace, const WorkClassifier& classes,
                                    const HostActivity& host, const MissingWork& missing) {
  std::map<std::int64_t, DeviceTime> by_device;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    DeviceTime& device = by_device[track.first];
    device.device = track.first;
    for (Row row = track.begin; row < track.end; ++row) {
      if (IsDeviceWork(trace.kind[row]) && trace.dur_ns[row] >= 0) device.work.push_back(row);
    }
  }
  std::vector<DeviceTime> devices;
  for (auto& [id, device] : by_device) {
    if (device.work.empty()) continue;
    std::stable_sort(device.work.begin(), device.work.end(),
                     [&](Row a, Row b) { return trace.ts_ns[a] < trace.ts_ns[b]; });
    std::vector<Interval> by_class[3];
    for (const Row row : device.work) {
      by_class[static_cast<int>(classes.Of(row))].push_back({trace.ts_ns[row], trace.end_ns(row)});
    }
    device.compute = Normalise(std::move(by_class[static_cast<int>(WorkClass::kCompute)]));
    device.communication =
        Normalise(std::move(by_class[static_cast<int>(WorkClass::kCommunication)]));
    device.copy = Normalise(std::move(by_class[static_cast<int>(WorkClass::kCopy)]));
    device.exposed_communication = Subtract(device.communication, device.compute);
    device.exposed_copy = Subtract(Subtract(device.copy, device.compute), device.communication);
    SplitIdle(trace, host, missing, device);
    device.not_observed = NotObserved(trace, device.work, missing);
    for (IntervalSet& idle : device.idle) idle = Subtract(idle, device.not_observed);
    device.steps = StepsOfDevice(trace, device.work, missing);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace rankscope
