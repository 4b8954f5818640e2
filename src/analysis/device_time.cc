#include "analysis/device_time.h"

#include <algorithm>
#include <map>

namespace rankscope {
namespace {

// Splits the idle time of one device by cause; gaps come in time order.
class IdleSplitter {
 public:
  IdleSplitter(const RankTrace& trace, const HostActivity& host, DeviceTime& out)
      : trace_(trace), host_(host), out_(out) {}

  // The gap before `next`, which ends it; `previous` is the work that ended last before it (kNoRow
  // at the start).
  void Before(Interval gap, Row previous, Row next) {
    const Row launch = trace_.link[next];
    if (launch == kNoRow) {
      Put(IdleCause::kUnknown, gap);
      return;
    }
    const std::uint32_t thread = trace_.track[launch];
    const std::int64_t launch_begin = trace_.ts_ns[launch];
    const std::int64_t launch_end = trace_.end_ns(launch);
    HostLate({gap.begin, std::min(gap.end, launch_begin)}, thread);
    const Interval queued{std::max(gap.begin, launch_begin), gap.end};
    if (queued.begin >= queued.end) return;
    if (launch_end > gap.begin || launch_begin >= gap.begin) {
      const std::int64_t limit = std::clamp(launch_end + kLaunchLimitNs, queued.begin, queued.end);
      Put(IdleCause::kLaunchLatency, {queued.begin, limit});
      Put(IdleCause::kUnknown, {limit, queued.end});
    } else if (previous == kNoRow || queued.end - queued.begin > kGapLimitNs) {
      Put(IdleCause::kUnknown, queued);
    } else {
      const bool same_stream = trace_.track[previous] == trace_.track[next];
      Put(same_stream ? IdleCause::kKernelGap : IdleCause::kOtherStream, queued);
    }
  }

  // The gap after the last work; `thread` launched most of it.
  void AfterAll(Interval gap, std::uint32_t thread) {
    if (thread == kNoAux) {
      Put(IdleCause::kUnknown, gap);
    } else {
      HostLate(gap, thread);
    }
  }

 private:
  void HostLate(Interval gap, std::uint32_t thread) {
    if (gap.begin >= gap.end) return;
    const IntervalSet loading = Clip(host_.data_loading(thread), gap);
    const IntervalSet waiting = Subtract(Clip(host_.blocking(thread), gap), loading);
    PutAll(IdleCause::kDataLoading, loading);
    PutAll(IdleCause::kSync, waiting);
    PutAll(IdleCause::kHostBound, Subtract(IntervalSet{gap}, Unite(loading, waiting)));
  }

  void PutAll(IdleCause cause, const IntervalSet& parts) {
    for (const Interval& part : parts) Put(cause, part);
  }

  void Put(IdleCause cause, Interval part) {
    if (part.begin < part.end) out_.idle[static_cast<int>(cause)].push_back(part);
  }

  const RankTrace& trace_;
  const HostActivity& host_;
  DeviceTime& out_;
};

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

void SplitIdle(const RankTrace& trace, const HostActivity& host, DeviceTime& device) {
  IdleSplitter splitter(trace, host, device);
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

std::vector<DeviceTime> DeviceTimes(const RankTrace& trace) {
  std::map<std::int64_t, DeviceTime> by_device;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    DeviceTime& device = by_device[track.first];
    device.device = track.first;
    for (Row row = track.begin; row < track.end; ++row) {
      if (IsDeviceWork(trace.kind[row]) && trace.dur_ns[row] >= 0) device.work.push_back(row);
    }
  }
  const WorkClassifier classes(trace);
  const HostActivity host(trace);
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
    SplitIdle(trace, host, device);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace rankscope
