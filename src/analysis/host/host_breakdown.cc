#include "analysis/host/analyses.h"

#include <array>
#include <utility>

#include "facts/device_time.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/host.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

// By precedence.
enum Part : std::size_t { kData, kBlocked, kRuntime, kOp, kAnnotated, kPython, kPartCount };

// The parts of one thread, disjoint.
std::array<IntervalSet, kPartCount> PartsOf(const RankTrace& trace, const HostActivity& host,
                                            std::uint32_t index,
                                            const std::vector<std::uint8_t>& is_step_mark) {
  const Track& track = trace.tracks[index];
  std::array<std::vector<Interval>, kPartCount> raw;
  for (const Interval& interval : host.data_loading(index)) raw[kData].push_back(interval);
  for (const Interval& interval : host.blocking(index)) raw[kBlocked].push_back(interval);
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.dur_ns[row] <= 0) continue;
    const Interval extent{trace.ts_ns[row], trace.end_ns(row)};
    switch (trace.kind[row]) {
      case EventKind::kRuntime:
        raw[kRuntime].push_back(extent);
        break;
      case EventKind::kCpuOp:
        raw[kOp].push_back(extent);
        break;
      case EventKind::kUserAnnotation:
        if (!is_step_mark[trace.name[row]]) raw[kAnnotated].push_back(extent);
        break;
      case EventKind::kPythonFunction:
        raw[kPython].push_back(extent);
        break;
      default:
        break;
    }
  }
  std::array<IntervalSet, kPartCount> parts;
  IntervalSet taken;
  for (std::size_t part = 0; part < kPartCount; ++part) {
    const IntervalSet all = Normalise(std::move(raw[part]));
    parts[part] = Subtract(all, taken);
    taken = Unite(taken, all);
  }
  return parts;
}

bool HasWork(const RankTrace& trace, const Track& track) {
  for (Row row = track.begin; row < track.end; ++row) {
    const EventKind kind = trace.kind[row];
    const bool counts = kind == EventKind::kRuntime || kind == EventKind::kCpuOp ||
                        kind == EventKind::kUserAnnotation || kind == EventKind::kPythonFunction;
    if (counts && trace.dur_ns[row] > 0) return true;
  }
  return false;
}

std::vector<Table> MapHostBreakdown(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<HostBreakdown>();
  auto table = columns.NewPartial("host_breakdown");
  const HostActivity& host = facts.host();
  std::vector<std::uint8_t> is_step_mark(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    is_step_mark[id] = trace.strings.Get(id).starts_with("ProfilerStep");
  }
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost || !HasWork(trace, track)) continue;
    const std::array<IntervalSet, kPartCount> parts = PartsOf(trace, host, index, is_step_mark);
    IntervalSet recorded;
    for (const IntervalSet& part : parts) recorded = Unite(recorded, part);
    for (const Window& window : windows) {
      // Thousands of threads that sleep through thousands of steps are no rows.
      if (window.TotalOf(recorded) == 0) continue;
      const std::int64_t duration = window.Duration();
      std::array<std::int64_t, kPartCount> times{};
      std::int64_t rest = duration;
      for (std::size_t part = 0; part < kPartCount; ++part) {
        times[part] = window.TotalOf(parts[part]);
        rest -= times[part];
      }
      table.Add({columns.process = track.first, columns.thread = track.second,
                 columns.step = window.StepValue(), columns.duration_ns = duration,
                 columns.data_ns = times[kData], columns.blocked_ns = times[kBlocked],
                 columns.runtime_ns = times[kRuntime], columns.op_ns = times[kOp],
                 columns.annotated_ns = times[kAnnotated], columns.python_ns = times[kPython],
                 columns.other_ns = rest, columns.busy_ns = duration - rest - times[kBlocked],
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& HostBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "host_breakdown",
      .summary = "what the host threads did, step by step; sums exactly to the wall time",
      .definition =
          "Every window in which a host thread recorded something is divided without remainder by "
          "precedence: data loading > blocked in a call that waits for the device > other calls of "
          "the device's API > ops > user annotations > Python frames > other. Each part is the "
          "union of its intervals, less the parts before it, clipped to the window.",
      .example = "rankscope table host_breakdown traces/ --ranks 0",
      .columns = SchemaOf<HostBreakdown>().columns(),
      .mapper = {.name = "host_breakdown",
                 .version = 4,
                 .tables = {SchemaOf<HostBreakdown>().BareColumns()},
                 .map = MapHostBreakdown},
      .reducer = JoinRows<HostBreakdown>(SchemaOf<HostBreakdown>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
