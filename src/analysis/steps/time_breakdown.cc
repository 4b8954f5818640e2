#include "analysis/steps/time_breakdown.h"

#include "facts/device_time.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "stage/vocabulary.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Capture(),
      column::Device(),
      column::StepOfWindow(),
      {"duration_ns", ColumnType::kInt64, "ns",
       "length of the window; the columns up to unknown_ns sum to it exactly"},
      {"compute_ns", ColumnType::kInt64, "ns", "time in which at least one computing kernel runs"},
      {"exposed_communication_ns", ColumnType::kInt64, "ns",
       "time of communication kernels in which none computes"},
      {"exposed_copy_ns", ColumnType::kInt64, "ns",
       "time of copies and memsets in which neither computes nor communicates"},
      {"idle_host_ns", ColumnType::kInt64, "ns",
       "idle: nothing was queued, the host had not issued the next work yet"},
      {"idle_data_ns", ColumnType::kInt64, "ns",
       "idle: nothing was queued, the launching thread was fetching data"},
      {"idle_sync_ns", ColumnType::kInt64, "ns",
       "idle: nothing was queued, the launching thread was inside a call that waits for the "
       "device"},
      {"idle_launch_ns", ColumnType::kInt64, "ns", "idle: the next work was just being launched"},
      {"idle_gap_ns", ColumnType::kInt64, "ns",
       "idle: work was queued on the same stream; the device changed kernels"},
      {"idle_stream_ns", ColumnType::kInt64, "ns",
       "idle: work was queued and had waited for another stream"},
      {"unknown_ns", ColumnType::kInt64, "ns", "idle without a cause that the trace shows"},
      {"communication_ns", ColumnType::kInt64, "ns",
       "time of communication kernels, hidden or not"},
      {"copy_ns", ColumnType::kInt64, "ns", "time of copies and memsets, hidden or not"},
      {"launched_busy_ns", ColumnType::kInt64, "ns",
       "busy time of work whose launching call begins in the window, wherever it ran; not part of "
       "the sum"},
      column::Complete(),
  };
  return kColumns;
}

// For each window the united time of the work that was launched in it.
std::vector<std::int64_t> LaunchedBusy(const RankTrace& trace, const DeviceTime& device,
                                       const Windows& windows) {
  std::vector<std::vector<Interval>> launched(windows.size());
  for (const Row row : device.work) {
    if (trace.link[row] == kNoRow) continue;
    const std::size_t window = windows.At(trace.ts_ns[trace.link[row]]);
    if (window != Windows::kNone) launched[window].push_back({trace.ts_ns[row], trace.end_ns(row)});
  }
  std::vector<std::int64_t> totals;
  totals.reserve(launched.size());
  for (auto& intervals : launched) totals.push_back(Total(Normalise(std::move(intervals))));
  return totals;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  Table table("time_breakdown", column::OfMap(Columns()));
  const Windows windows(trace, options.steps);
  for (const DeviceTime& device : facts.devices()) {
    const std::vector<std::int64_t> launched = LaunchedBusy(trace, device, windows);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const Window& window = windows[i];
      const auto idle = [&](IdleCause cause) {
        return window.TotalOf(device.idle[static_cast<int>(cause)]);
      };
      table.AddRow({device.device, window.StepValue(), window.Duration(),
                    window.TotalOf(device.compute), window.TotalOf(device.exposed_communication),
                    window.TotalOf(device.exposed_copy), idle(IdleCause::kHostBound),
                    idle(IdleCause::kDataLoading), idle(IdleCause::kSync),
                    idle(IdleCause::kLaunchLatency), idle(IdleCause::kKernelGap),
                    idle(IdleCause::kOtherStream), idle(IdleCause::kUnknown),
                    window.TotalOf(device.communication), window.TotalOf(device.copy), launched[i],
                    window.complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& TimeBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "time_breakdown",
      .summary =
          "where the time of every device went, step by step, by cause; sums exactly to the wall "
          "time",
      .definition =
          "Every window (a step, or the time outside of all steps) of every device is divided "
          "without remainder: compute > exposed "
          "communication > exposed copy > idle by cause > unknown, each the union of its intervals "
          "clipped to the window. For an idle "
          "gap [a, b) that ends with work K, launched by the call [l0, l1) of thread T: until l0 "
          "nothing was queued, which is "
          "data loading while T is inside a DataLoader range, else sync while T is inside a call "
          "that waits for the device, else "
          "host; from l0 on it is launch latency when the launch had not returned at a (at most "
          "100 us after l1), else a kernel gap "
          "(same stream) or other stream (the work that ended at a ran elsewhere) of up to 30 us. "
          "Everything else is unknown.",
      .example = "rankscope table time_breakdown traces/ --format csv",
      .columns = Columns(),
      .mapper = {.name = "time_breakdown",
                 .version = 2,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(TimeBreakdownAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
