#include "analysis/host/host_breakdown.h"

#include "facts/device_time.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Capture(),
      {"process", ColumnType::kInt64, "", "process id; null when the trace has none"},
      {"thread", ColumnType::kInt64, "", "thread id"},
      column::StepOfWindow(),
      {"duration_ns", ColumnType::kInt64, "ns",
       "length of the window; the columns up to other_ns sum to it exactly"},
      {"data_ns", ColumnType::kInt64, "ns", "inside a data-loading range"},
      {"blocked_ns", ColumnType::kInt64, "ns", "inside a call that waits for the device"},
      {"runtime_ns", ColumnType::kInt64, "ns",
       "inside another call of the device's API, launches above all"},
      {"op_ns", ColumnType::kInt64, "ns", "inside an op, outside of the above"},
      {"annotated_ns", ColumnType::kInt64, "ns",
       "inside a user annotation other than the step's mark, outside of the above"},
      {"python_ns", ColumnType::kInt64, "ns",
       "inside a recorded Python frame, outside of the above"},
      {"other_ns", ColumnType::kInt64, "ns", "inside nothing that was recorded"},
      column::Int(
          "busy_ns", "ns",
          "duration_ns less other_ns and blocked_ns: the thread works; not part of the sum"),
      column::Complete(),
  };
  return kColumns;
}

constexpr int kParts = 6;
constexpr std::size_t kBlocked = 1;

// The parts of one thread by precedence, disjoint.
std::vector<IntervalSet> PartsOf(const RankTrace& trace, const HostActivity& host,
                                 std::uint32_t index,
                                 const std::vector<std::uint8_t>& is_step_mark) {
  const Track& track = trace.tracks[index];
  std::vector<Interval> raw[kParts];
  for (const Interval& interval : host.data_loading(index)) raw[0].push_back(interval);
  for (const Interval& interval : host.blocking(index)) raw[1].push_back(interval);
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.dur_ns[row] <= 0) continue;
    const Interval extent{trace.ts_ns[row], trace.end_ns(row)};
    switch (trace.kind[row]) {
      case EventKind::kRuntime:
        raw[2].push_back(extent);
        break;
      case EventKind::kCpuOp:
        raw[3].push_back(extent);
        break;
      case EventKind::kUserAnnotation:
        if (!is_step_mark[trace.name[row]]) raw[4].push_back(extent);
        break;
      case EventKind::kPythonFunction:
        raw[5].push_back(extent);
        break;
      default:
        break;
    }
  }
  std::vector<IntervalSet> parts;
  IntervalSet taken;
  for (auto& intervals : raw) {
    const IntervalSet all = Normalise(std::move(intervals));
    parts.push_back(Subtract(all, taken));
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

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  Table table("host_breakdown", column::OfMap(Columns()));
  const HostActivity& host = facts.host();
  std::vector<std::uint8_t> is_step_mark(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    is_step_mark[id] = trace.strings.Get(id).starts_with("ProfilerStep");
  }
  const Windows windows(trace, options.steps);
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost || !HasWork(trace, track)) continue;
    const std::vector<IntervalSet> parts = PartsOf(trace, host, index, is_step_mark);
    IntervalSet recorded;
    for (const IntervalSet& part : parts) recorded = Unite(recorded, part);
    for (const Window& window : windows) {
      // Thousands of threads that sleep through thousands of steps are no rows.
      if (window.TotalOf(recorded) == 0) continue;
      std::vector<Value> row = {track.first, track.second, window.StepValue()};
      const std::int64_t duration = window.Duration();
      row.emplace_back(duration);
      std::int64_t rest = duration;
      std::int64_t blocked = 0;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::int64_t total = window.TotalOf(parts[part]);
        if (part == kBlocked) blocked = total;
        rest -= total;
        row.emplace_back(total);
      }
      row.emplace_back(rest);
      row.emplace_back(duration - rest - blocked);
      row.emplace_back(window.complete);
      table.AddRow(row);
    }
  }
  return {table};
}

}  // namespace

const Analysis& HostBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "host_breakdown",
      .summary = "what the host threads did, step by step; sums exactly to the wall time",
      .definition =
          "Every window in which a host thread recorded something is divided without remainder "
          "by precedence: data loading > "
          "blocked in a call that waits for the device > other calls of the device's API > ops > "
          "user annotations > Python frames > "
          "other. Each part is the union of its intervals, less the parts before it, clipped to "
          "the window.",
      .example = "rankscope table host_breakdown traces/ --ranks 0",
      .columns = Columns(),
      .mapper = {.name = "host_breakdown",
                 .version = 3,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(HostBreakdownAnalysis, 5),
  };
  return kAnalysis;
}

}  // namespace rankscope
