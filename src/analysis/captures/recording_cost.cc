#include "analysis/captures/recording_cost.h"

#include <algorithm>
#include <set>

#include "facts/windows.h"

namespace rankscope {
namespace {

IntervalSet CompleteSteps(const TraceFacts& facts) {
  IntervalSet steps;
  for (const Window& window : Windows::OfHost(facts, {})) {
    if (window.step && window.complete) steps = Unite(steps, window.intervals);
  }
  return steps;
}

// Backward has a thread of its own, which takes turns with the main one.
std::set<std::uint32_t> LaunchingThreads(const TraceFacts& facts) {
  std::set<std::uint32_t> threads;
  for (const DeviceTime& device : facts.devices()) {
    for (const Row work : device.work) {
      if (const Row launch = facts.trace().link[work]; launch != kNoRow)
        threads.insert(facts.trace().track[launch]);
    }
  }
  return threads;
}

void AddThread(const RankTrace& trace, const Track& track, const IntervalSet& steps,
               RecordingCost& cost) {
  auto step = steps.begin();
  for (Row row = track.begin; row < track.end; ++row) {
    while (step != steps.end() && step->end <= trace.ts_ns[row]) ++step;
    if (step == steps.end()) break;
    if (trace.ts_ns[row] < step->begin) continue;
    const EventKind kind = trace.kind[row];
    cost.ops += kind == EventKind::kCpuOp ? 1 : 0;
    cost.frames += kind == EventKind::kPythonFunction ? 1 : 0;
    cost.calls += kind == EventKind::kRuntime ? 1 : 0;
    cost.has_shapes |= kind == EventKind::kCpuOp && trace.aux[row] != kNoAux &&
                       trace.ops[trace.aux[row]].input_dims != kEmptyString;
  }
}

}  // namespace

RecordingCost CostOfRecording(const TraceFacts& facts) {
  const RankTrace& trace = facts.trace();
  const IntervalSet steps = CompleteSteps(facts);
  RecordingCost cost{.steps_ns = Total(steps)};
  for (const DeviceTime& device : facts.devices()) {
    const std::int64_t busy = Total(Intersect(Unite(device.compute, device.copy), steps));
    if (busy < cost.busy_ns) continue;
    cost.busy_ns = busy;
    const auto idle = [&](IdleCause cause) {
      return Total(Intersect(device.idle[static_cast<std::size_t>(cause)], steps));
    };
    cost.host_idle_ns = idle(IdleCause::kHostBound) + idle(IdleCause::kLaunchLatency);
  }
  for (const std::uint32_t thread : LaunchingThreads(facts))
    AddThread(trace, trace.tracks[thread], steps, cost);
  return cost;
}

}  // namespace rankscope
