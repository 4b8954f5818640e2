#include "analysis/launches/analyses.h"

#include <utility>

#include "analysis/launches/launch_calls.h"
#include "analysis/launches/launch_limits.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct LaunchOutliers : Schema<LaunchOutliers, RankRows> {
  static constexpr std::string_view kName = "launch_outliers";

  IntColumn event = Int("event", "", "index of the call in the file's traceEvents");
  IntColumn ts_ns = Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock");
  IntColumn step = Int(column::StepOfHost());
  IntColumn thread = Int("thread", "", "thread id of the caller");
  StringColumn call = Text("call", "name of the call");
  StringColumn work =
      Text("work", "name of the work that began first; null when none was recorded");
  IntColumn works = Int("works", "", "kernels, copies and memsets that the call launched");
  IntColumn call_ns = Int("call_ns", "ns", "host time of the call");
  IntColumn delay_ns =
      Int("delay_ns", "ns", "from the call's return to the begin of its first work");
  IntColumn free_delay_ns = Int(
      "free_delay_ns", "ns", "part of the delay behind the end of all earlier work of the stream");
  IntColumn work_ns = Int("work_ns", "ns", "summed time of its work");
  StringColumn why = Text("why", "slow call, late start, or both");
};

std::vector<Table> MapLaunchOutliers(const TraceFacts& facts, const MapOptions& options) {
  const LaunchLimits limits = LaunchLimitsOf(options.values);
  const auto& columns = SchemaOf<LaunchOutliers>();
  auto table = columns.NewPartial("launch_outliers");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const LaunchCall& call : LaunchCallsOf(trace)) {
    const std::size_t window = windows.At(trace.ts_ns[call.call]);
    if (window == Windows::kNone) continue;
    const bool is_slow = trace.dur_ns[call.call] > limits.slow_call_ns;
    const bool is_late = call.free_delay_ns > limits.late_start_ns;
    if (!is_slow && !is_late) continue;
    const bool has_work = call.works > 0;
    table.Add({columns.event = trace.source[call.call],
               columns.ts_ns = trace.meta.base_ns + trace.ts_ns[call.call],
               columns.step = windows[window].StepValue(),
               columns.thread = trace.track_of(call.call).second,
               columns.call = trace.name_of(call.call),
               columns.work = has_work ? Value(trace.name_of(call.first_work)) : Value(kNull),
               columns.works = call.works, columns.call_ns = trace.dur_ns[call.call],
               columns.delay_ns = has_work ? Value(call.delay_ns) : Value(kNull),
               columns.free_delay_ns = has_work ? Value(call.free_delay_ns) : Value(kNull),
               columns.work_ns = has_work ? Value(call.work_ns) : Value(kNull),
               columns.why = std::string_view(is_slow && is_late ? "slow call, late start"
                                              : is_slow          ? "slow call"
                                                                 : "late start")});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& LaunchOutliersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "launch_outliers",
      .size = Size::kDetail,
      .summary = "single launches that took long, or whose work began late",
      .definition =
          "Launch calls (launches) whose host time is above slow_call_us, or whose work began more "
          "than late_start_us after both the call had returned and all earlier work of its stream "
          "had ended.",
      .example = "rankscope table launch_outliers traces/ --set late_start_us=10000",
      .columns = SchemaOf<LaunchOutliers>().columns(),
      .mapper = {.name = "launch_outliers",
                 .version = 3,
                 .options = LaunchOptions(),
                 .tables = {SchemaOf<LaunchOutliers>().BareColumns()},
                 .map = MapLaunchOutliers},
      .reducer = JoinRows<LaunchOutliers>(SchemaOf<LaunchOutliers>().ts_ns,
                                          {SchemaOf<LaunchOutliers>().ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
