#include "analysis/captures/recording_cost.h"

#include <algorithm>
#include <set>
#include <vector>

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

// What recording a row costs at most, of a program whose ops have shapes.
std::int64_t CostOf(EventKind kind) {
  switch (kind) {
    case EventKind::kCpuOp:
      return RecordingCost::kOpWithShapesNs;
    case EventKind::kPythonFunction:
      return RecordingCost::kFrameNs;
    case EventKind::kRuntime:
      return RecordingCost::kCallNs;
    default:
      return 0;
  }
}

// Sums up what recording a thread can have cost, from one begin or end to the next.
class BetweenNotes {
 public:
  explicit BetweenNotes(const RankTrace& trace) : trace_(trace) {}

  // Rows in the order of their begins.
  void Add(Row row, bool is_in_steps) {
    EndUntil(trace_.ts_ns[row]);
    Note(row, trace_.ts_ns[row]);
    if (trace_.dur_ns[row] > 0) open_.push_back(row);
    is_in_steps_ = is_in_steps;
  }

  // Of the steps, all rows being added.
  std::int64_t TotalNs() {
    EndUntil(INT64_MAX);
    return total_ns_;
  }

 private:
  void EndUntil(std::int64_t at_ns) {
    for (; !open_.empty() && trace_.end_ns(open_.back()) <= at_ns; open_.pop_back())
      Note(open_.back(), trace_.end_ns(open_.back()));
  }

  // The time since the last note belongs to where that began.
  void Note(Row row, std::int64_t at_ns) {
    const std::int64_t cost = CostOf(trace_.kind[row]);
    const std::int64_t both = row == row_ ? cost : cost + cost_;
    if (is_in_steps_) total_ns_ += std::clamp<std::int64_t>(at_ns - at_ns_, 0, both);
    row_ = row;
    cost_ = cost;
    at_ns_ = at_ns;
  }

  const RankTrace& trace_;
  std::vector<Row> open_;
  std::int64_t total_ns_ = 0;
  // What was noted last.
  Row row_ = kNoRow;
  std::int64_t cost_ = 0;
  std::int64_t at_ns_ = 0;
  bool is_in_steps_ = false;
};

void AddThread(const RankTrace& trace, const Track& track, const IntervalSet& steps,
               RecordingCost& cost) {
  auto step = steps.begin();
  BetweenNotes between(trace);
  for (Row row = track.begin; row < track.end; ++row) {
    while (step != steps.end() && step->end <= trace.ts_ns[row]) ++step;
    if (step == steps.end()) break;
    const bool is_in_steps = trace.ts_ns[row] >= step->begin;
    between.Add(row, is_in_steps);
    if (!is_in_steps) continue;
    const EventKind kind = trace.kind[row];
    cost.ops += kind == EventKind::kCpuOp ? 1 : 0;
    cost.frames += kind == EventKind::kPythonFunction ? 1 : 0;
    cost.calls += kind == EventKind::kRuntime ? 1 : 0;
    cost.has_shapes |= kind == EventKind::kCpuOp && trace.aux[row] != kNoAux &&
                       trace.ops[trace.aux[row]].input_dims != kEmptyString;
  }
  cost.most_ns += between.TotalNs();
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
