// DeviceSteps: the steps of a recording as they passed on one device.
//
// A host that runs ahead of its device begins step n+1 while the device still works on step n, so
// what the device does is cut where the device finished a step, not where the host's marks lie:
//
//   step n of the device is [C(n-1), C(n)), C(n) = latest end of the kernels whose launching call
//   begins before the host's step n ends (of copies only where a device has no kernels)
//
//   host    |--- step 0 ---|--- step 1 ---|--- step 2 ---|
//   device      |###### 0 ######|###### 1 ######|###### 2 ######|
//           ^C(-1)              ^C(0)           ^C(1)           ^C(2)
//
// Odd cases:
//   - Work of step n that still runs when the first kernel launched in step n+2 or later begins on
//     the main stream, that of most kernels, does not stretch C(n) (a persistent kernel); it is
//     counted in `overrunning`. Other streams may run steps ahead: they prepare the next batches.
//   - Work without a recorded launch takes the step of the last linked work before it on its
//     stream, else on its device; without either it was launched before the recording.
//   - A step of which the device did nothing has no window.
//   - C(-1) is the latest of: the first mark's begin, the end of work that was launched before it,
//     and the first recorded work's begin where that was held up (launch_time.h): until then
//     nothing was recorded, see NotObserved.
//   - Where no launch of a device's work was recorded, it has the host's windows; its work belongs
//     to the step in which it begins.
//
// complete: as the host's step, but
//   - a first step before which something was not observed, or whose begin lags behind its mark
//     otherwise than that of every later step, by over kMostLagChange of the median step (the queue
//     was filling, or the work of the step before was not recorded), is complete only if no other
//     is;
//   - a last step that ends in launches without work, more than any other step has, is not;
//   - of a file that ends too early among its device rows (Kineto writes them behind all ops, in no
//     order of time) only steps are of as much device work as the most, if two or more are, and
//     behind such a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/component.h"
#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

struct DeviceTime;  // facts/device_time.h

// Its version is raised when windows come out otherwise.
inline constexpr Component kDeviceStepsComponent{"device_steps", 4};

inline constexpr double kMostLagChange = 0.02;

struct DeviceSteps {
  // For work launched before the first step.
  static constexpr std::int32_t kBefore = -1;

  struct Span {
    Interval window;  // empty: the device had no work in this step
    bool complete = false;
  };
  std::vector<Span> steps;  // of every step of the trace
  // Index into trace.steps of the step that launched each entry of DeviceTime::work; kBefore, or
  // the number of steps for what was launched behind the last.
  std::vector<std::int32_t> step_of_work;
  std::int64_t overrunning = 0;
  bool follows_host = false;  // the windows are the host's
};

// The end of a step on the host: the next mark, or the end of the last.
std::int64_t EndOfHostStep(const RankTrace& trace, std::size_t step);

// The step whose host window holds time t, which a call that begins then belongs to: an index into
// trace.steps, DeviceSteps::kBefore, or their number behind the last. O(log steps).
std::int32_t StepOfCall(const RankTrace& trace, std::int64_t t);

// The steps of a rank: each ends with its latest device. Complete if it is complete on all devices
// with work in it. Without devices, or if none has a launch, the host's steps. `step_of_work` is
// empty.
DeviceSteps StepsOfRank(const RankTrace& trace, std::span<const DeviceTime> devices);

// Launches without recorded work.
struct MissingWork {
  std::vector<std::size_t> of_step;  // by step of the trace; the last entry: behind all steps
  std::size_t trailing_in_last = 0;  // of the last step, those behind the last call that has work
  // Begin of the first of those behind the last call that has work, in any step; nullopt where
  // there are none, or where over kMostMissing of all launches have no work anyhow.
  std::optional<std::int64_t> trailing_since;
  std::vector<std::int64_t> calls;  // begins of all of them, ascending
  // The file is truncated, but the ops of the last step are present: only rows written after all
  // ops are missing, those of devices.
  bool ends_among_device_rows = false;
};
inline constexpr double kMostMissing = 0.1;
// O(rows).
MissingWork FindMissingWork(const RankTrace& trace);

// `work` in order of its begin. O(work log steps).
DeviceSteps StepsOfDevice(const RankTrace& trace, const std::vector<Row>& work,
                          const MissingWork& missing);

// Stretches at the ends of a recording with unrecorded device work. Before the first work, if it
// has no recorded launch or was delayed after it (launch_time.h). After the last work, while
// launches without work were waiting, or always if none of the work has a recorded launch. `work`
// is in order of begin, not empty.
IntervalSet NotObserved(const RankTrace& trace, const std::vector<Row>& work,
                        const MissingWork& missing);

}  // namespace rankscope
