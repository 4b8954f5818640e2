#include "analysis/launches/launch_outliers.h"

#include "analysis/launches/launch_calls.h"
#include "analysis/launches/launch_limits.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Int("event", "", "index of the call in the file's traceEvents"),
      column::Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock"),
      column::StepOfWindow(),
      column::Int("thread", "", "thread id of the caller"),
      column::Text("call", "name of the call"),
      column::Text("work", "name of the work that began first; null when none was recorded"),
      column::Int("works", "", "kernels, copies and memsets that the call launched"),
      column::Int("call_ns", "ns", "host time of the call"),
      column::Int("delay_ns", "ns", "from the call's return to the begin of its first work"),
      column::Int("free_delay_ns", "ns",
                  "part of the delay behind the end of all earlier work of the stream"),
      column::Int("work_ns", "ns", "summed time of its work"),
      column::Text("why", "slow call, late start, or both"),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const LaunchLimits limits = LaunchLimitsOf(options.values);
  Table table("launch_outliers", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const LaunchCall& call : LaunchCallsOf(trace)) {
    const std::size_t window = windows.At(trace.ts_ns[call.call]);
    if (window == Windows::kNone) continue;
    const bool is_slow = trace.dur_ns[call.call] > limits.slow_call_ns;
    const bool is_late = call.free_delay_ns > limits.late_start_ns;
    if (!is_slow && !is_late) continue;
    const bool has_work = call.works > 0;
    table.AddRow({std::int64_t{trace.source[call.call]},
                  trace.meta.base_ns + trace.ts_ns[call.call], windows[window].StepValue(),
                  trace.track_of(call.call).second, trace.name_of(call.call),
                  has_work ? Value(trace.name_of(call.first_work)) : Value(kNull), call.works,
                  trace.dur_ns[call.call], has_work ? Value(call.delay_ns) : Value(kNull),
                  has_work ? Value(call.free_delay_ns) : Value(kNull),
                  has_work ? Value(call.work_ns) : Value(kNull),
                  std::string_view(is_slow && is_late ? "slow call, late start"
                                   : is_slow          ? "slow call"
                                                      : "late start")});
  }
  return {table};
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
      .columns = Columns(),
      .mapper = {.name = "launch_outliers",
                 .version = 2,
                 .options = LaunchOptions(),
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(LaunchOutliersAnalysis, 4, {"ts_ns"}),
  };
  return kAnalysis;
}

}  // namespace rankscope
