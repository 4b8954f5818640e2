#include "analysis/steps/analyses.h"

#include <utility>

#include "facts/device_time.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/steps.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

// For each window the united time of the work that was launched in it.
std::vector<std::int64_t> LaunchedBusy(const RankTrace& trace, const DeviceTime& device,
                                       const Windows& windows) {
  std::vector<std::vector<Interval>> launched(windows.size());
  for (const Row row : device.work) {
    if (trace.link[row] == kNoRow) continue;
    const std::size_t window = windows.OfWork(row);
    if (window != Windows::kNone) launched[window].push_back({trace.ts_ns[row], trace.end_ns(row)});
  }
  std::vector<std::int64_t> totals;
  totals.reserve(launched.size());
  for (auto& intervals : launched) totals.push_back(Total(Normalise(std::move(intervals))));
  return totals;
}

std::vector<Table> MapTimeBreakdown(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<TimeBreakdown>();
  auto table = columns.NewPartial("time_breakdown");
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    const std::vector<std::int64_t> launched = LaunchedBusy(trace, device, windows);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const Window& window = windows[i];
      if (!window.HasExtent()) continue;
      const auto idle = [&](IdleCause cause) {
        return window.TotalOf(device.idle[static_cast<int>(cause)]);
      };
      table.Add({columns.device = device.device, columns.step = window.StepValue(),
                 columns.duration_ns = window.Duration(),
                 columns.compute_ns = window.TotalOf(device.compute),
                 columns.exposed_communication_ns = window.TotalOf(device.exposed_communication),
                 columns.exposed_copy_ns = window.TotalOf(device.exposed_copy),
                 columns.idle_host_ns = idle(IdleCause::kHostBound),
                 columns.idle_data_ns = idle(IdleCause::kDataLoading),
                 columns.idle_sync_ns = idle(IdleCause::kSync),
                 columns.idle_launch_ns = idle(IdleCause::kLaunchLatency),
                 columns.idle_gap_ns = idle(IdleCause::kKernelGap),
                 columns.idle_stream_ns = idle(IdleCause::kOtherStream),
                 columns.unknown_ns = idle(IdleCause::kUnknown),
                 columns.not_observed_ns = window.TotalOf(device.not_observed),
                 columns.communication_ns = window.TotalOf(device.communication),
                 columns.copy_ns = window.TotalOf(device.copy),
                 columns.launched_busy_ns = launched[i], columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
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
          "without remainder: compute > exposed communication > exposed copy > idle by cause > "
          "unknown, each the union of its intervals clipped to the window. For an idle gap [a, b) "
          "that ends with work K, launched by the call [l0, l1) of thread T: until l0 nothing was "
          "queued, which is data loading while T is inside a DataLoader range, else sync while T "
          "is inside a call that waits for the device, else host; from l0 on it is launch latency "
          "when the launch had not returned at a (at most 100 us after l1), else a kernel gap "
          "(same stream) or other stream (the work that ended at a ran elsewhere) of up to 30 us. "
          "Everything else is unknown: so is the wait of a copy or memset that begins more than "
          "100 us after l0, or behind a launch of which no work was recorded.",
      .example = "rankscope table time_breakdown traces/ --format csv",
      .columns = SchemaOf<TimeBreakdown>().columns(),
      .mapper = {.name = "time_breakdown",
                 .version = 4,
                 .tables = {SchemaOf<TimeBreakdown>().BareColumns()},
                 .map = MapTimeBreakdown},
      .reducer = JoinRows<TimeBreakdown>(SchemaOf<TimeBreakdown>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
