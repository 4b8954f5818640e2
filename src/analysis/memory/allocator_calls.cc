#include "analysis/memory/analyses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/memory.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

// When any device is idle, so that the idle time of a call costs O(log idle intervals).
class IdleTime {
 public:
  explicit IdleTime(const std::vector<DeviceTime>& devices) {
    std::vector<Interval> idle;
    for (const DeviceTime& device : devices) {
      for (const IntervalSet& set : device.idle) idle.insert(idle.end(), set.begin(), set.end());
    }
    idle_ = Normalise(std::move(idle));
    before_.reserve(idle_.size() + 1);
    before_.push_back(0);
    for (const Interval& interval : idle_)
      before_.push_back(before_.back() + (interval.end - interval.begin));
  }
  std::int64_t In(const IntervalSet& calls) const {
    std::int64_t total = 0;
    for (const Interval& call : calls) total += Until(call.end) - Until(call.begin);
    return total;
  }

 private:
  std::int64_t Until(std::int64_t t) const {
    const auto next = std::partition_point(
        idle_.begin(), idle_.end(), [&](const Interval& interval) { return interval.begin < t; });
    if (next == idle_.begin()) return 0;
    const auto last = static_cast<std::size_t>(next - idle_.begin()) - 1;
    return before_[last] + (std::min(t, idle_[last].end) - idle_[last].begin);
  }
  IntervalSet idle_;
  std::vector<std::int64_t> before_;  // idle time before each interval
};

struct Calls {
  std::string_view action;
  std::vector<std::int64_t> durations;
  std::vector<Interval> intervals;
};

std::map<std::pair<std::size_t, std::string_view>, Calls> CallsOf(const RankTrace& trace,
                                                                  const Windows& windows) {
  std::vector<std::optional<std::string_view>> actions(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id)
    actions[id] = AllocatorAction(trace.strings.Get(id));
  std::map<std::pair<std::size_t, std::string_view>, Calls> calls;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kRuntime || trace.dur_ns[row] < 0) continue;
      const auto& action = actions[trace.name[row]];
      if (!action) continue;
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window == Windows::kNone) continue;
      Calls& group = calls[{window, trace.name_of(row)}];
      group.action = *action;
      group.durations.push_back(trace.dur_ns[row]);
      group.intervals.push_back({trace.ts_ns[row], trace.end_ns(row)});
    }
  }
  return calls;
}

std::vector<Table> MapAllocatorCalls(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<AllocatorCalls>();
  auto table = columns.NewPartial("allocator_calls");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  auto calls = CallsOf(trace, windows);
  if (calls.empty()) return MoveTables(std::move(table));
  const IdleTime idle(facts.devices());
  const bool has_devices = !facts.devices().empty();
  for (auto& [key, group] : calls) {
    const Window& window = windows[key.first];
    const bool steady = window.step && window.intervals.front().begin > trace.steps[0].begin_ns;
    const Description host = Describe(group.durations);
    const IntervalSet united = Normalise(std::move(group.intervals));
    table.Add({columns.step = window.StepValue(), columns.steady = steady,
               columns.call = key.second, columns.action = group.action, columns.count = host.count,
               columns.total_ns = host.total, columns.mean_ns = host.mean,
               columns.max_ns = host.max,
               columns.idle_ns = has_devices ? Value(idle.In(united)) : Value(kNull),
               columns.complete = window.complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& AllocatorCallsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "allocator_calls",
      .summary = "calls that ask the driver for memory: count, host time, idle device meanwhile",
      .definition =
          "Calls of the device's API, by name, that allocate, free, map or pin memory: cudaMalloc, "
          "cudaFree, cudaHostAlloc, cudaMallocAsync, cuMemMap, hipMalloc and their like, versions "
          "included (cuMemAlloc_v2). PyTorch's caching allocator keeps what it got, so in steady "
          "state - from the second recorded step on - there should be none: those that remain come "
          "from fragmentation, changing shapes, emptied caches, or code that allocates past the "
          "allocator. cudaFree and hipFree wait for the device. idle_ns is the united time of the "
          "calls of one name within which a device of the rank is idle (time_breakdown's idle "
          "parts): an upper bound of what they cost, not proof of it. Retries after a failed "
          "cudaMalloc cannot be told from an emptied cache in a trace, and are not counted.",
      .example = "rankscope query traces/ 'FROM allocator_calls WHERE steady'",
      .columns = SchemaOf<AllocatorCalls>().columns(),
      .mapper = {.name = "allocator_calls",
                 .version = 2,
                 .tables = {SchemaOf<AllocatorCalls>().BareColumns()},
                 .map = MapAllocatorCalls},
      .reducer = JoinRows<AllocatorCalls>(SchemaOf<AllocatorCalls>().call),
  };
  return kAnalysis;
}

}  // namespace rankscope
