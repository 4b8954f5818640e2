// DeviceTime: every nanosecond of one device's recording, labelled once.
//
// Busy time goes to the first that applies of compute, communication, copy (so communication is
// "exposed" where no kernel computes, and a copy where neither does). Time without work on any
// stream is idle, with a cause that follows from links. For a gap [a, b) that ends when the device
// work K begins, with L = [l0, l1) the host call that launched K and T its thread:
//
//   [a, min(b, l0))  nothing was queued: the host was late.
//        data loading    while T is inside a data-loading range
//        sync            else, when T was inside a blocking call at time a: the call let the
//                        queue run dry
//        host-bound      else
//   [max(a, l0), b)  K was queued, or being launched.
//        launch latency  when the launch had not returned at a: until b, at most
//                        kLaunchLimitNs after l1; the rest is unknown. The call of a copy or
//                        memset may itself wait for work before it: all is unknown when K begins
//                        more than kLaunchLimitNs after l0, or behind a launch whose work has no
//                        record
//        kernel gap      when it had: up to kGapLimitNs between two kernels of one stream; a
//                        longer gap is unknown
//        other stream    the same, but the work that ended at a was on another stream: K had
//                        waited for it
//
// Stretches at the ends of the recording with unrecorded device work (NotObserved) are not idle
// time; they are a separate part.
//
// The gap after the last work counts as [a, b) with L never; without a launch that could be linked
// a gap is unknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/component.h"
#include "base/interval.h"
#include "facts/device_steps.h"
#include "facts/kernel_class.h"
#include "trace/device_api.h"
#include "trace/trace.h"

namespace rankscope {

// Its version is raised when busy, exposed or idle time or its causes change.
inline constexpr Component kDeviceTimeComponent{"device_time", 4};

enum class IdleCause : std::uint8_t {
  kHostBound,
  kDataLoading,
  kSync,
  kLaunchLatency,
  kKernelGap,
  kOtherStream,
  kUnknown,
};
inline constexpr int kIdleCauseCount = 7;

struct DeviceTime {
  std::int64_t device = 0;
  IntervalSet compute;
  IntervalSet communication;          // all of it
  IntervalSet copy;                   // all of it
  IntervalSet exposed_communication;  // communication - compute
  IntervalSet exposed_copy;           // copy - compute - communication
  // Disjoint; together with not_observed the complement of the busy time in the recording.
  IntervalSet idle[kIdleCauseCount];
  IntervalSet not_observed;  // unrecorded device work
  std::vector<Row> work;     // device work in order of its begin
  DeviceSteps steps;
};

// Blocking calls and data loading of the host threads of a trace, by track.
class HostActivity {
 public:
  explicit HostActivity(const RankTrace& trace);
  // Time inside calls that wait for the device: by name, including cudaFree and similar calls, or
  // copies that end before their call returns.
  const IntervalSet& blocking(std::uint32_t track) const { return blocking_[track]; }
  const IntervalSet& data_loading(std::uint32_t track) const { return data_loading_[track]; }

 private:
  std::vector<IntervalSet> blocking_;
  std::vector<IntervalSet> data_loading_;
};

// Fetching a batch: ops and annotations named after a data loader, and the Python frames of torch's
// own. A path that happens to contain the word, "/home/me/dataloader_bench/train.py(5): main", does
// not count.
bool IsDataLoading(EventKind kind, std::string_view name);

// For a device with too little recorded work to know its idle time.
void LeaveIdleUnobserved(const RankTrace& trace, DeviceTime& device);

// One entry per device that did work, by device id. O(rows log rows).
std::vector<DeviceTime> DeviceTimes(const RankTrace& trace, const WorkClassifier& classes,
                                    const HostActivity& host, const MissingWork& missing);

}  // namespace rankscope
