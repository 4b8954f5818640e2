#include "analysis/launches/launches.h"

#include <map>

#include "analysis/launches/launch_calls.h"
#include "analysis/launches/launch_limits.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::StepOfWindow(),
      column::Text("call", "name of the call: cudaLaunchKernel, cuLaunchKernel, hipGraphLaunch"),
      column::Int("count", "", "calls that begin in the window"),
      column::Int("works", "", "kernels, copies and memsets that they launched"),
      column::Int("without_work", "", "calls whose work was not recorded"),
      column::Int("total_ns", "ns", "summed host time of the calls"),
      column::Real("mean_ns", "ns", "total_ns / count"),
      column::Real("p50_ns", "ns", "median host time"),
      column::Real("p99_ns", "ns", "99th percentile of the host time"),
      column::Int("max_ns", "ns", "longest call"),
      column::Int("slow_calls", "", "calls longer than the option slow_call_us"),
      column::Real("delay_mean_ns", "ns",
                   "mean time from a call's return to the begin of its first work, 0 when it began "
                   "before; null when no work was recorded"),
      column::Real("delay_p50_ns", "ns", "median delay"),
      column::Real("delay_p99_ns", "ns", "99th percentile of the delay"),
      column::Int("delay_max_ns", "ns", "longest delay"),
      column::Int(
          "late_starts", "",
          "calls whose work began later than late_start_us after its stream was free for it"),
      column::Int("short_work", "", "calls that took longer than the work that they launched"),
      column::Complete(),
  });
  return kColumns;
}

struct Group {
  std::vector<std::int64_t> durations;
  std::vector<std::int64_t> delays;
  std::int64_t works = 0;
  std::int64_t slow = 0;
  std::int64_t late = 0;
  std::int64_t short_work = 0;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const LaunchLimits limits = LaunchLimitsOf(options.values);
  Table table("launches", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  std::map<std::pair<std::size_t, std::string_view>, Group> groups;
  for (const LaunchCall& call : LaunchCallsOf(trace)) {
    const std::size_t window = windows.At(trace.ts_ns[call.call]);
    if (window == Windows::kNone) continue;
    Group& group = groups[{window, trace.name_of(call.call)}];
    const std::int64_t duration = trace.dur_ns[call.call];
    group.durations.push_back(duration);
    group.works += call.works;
    group.slow += duration > limits.slow_call_ns;
    if (call.works == 0) continue;
    group.delays.push_back(call.delay_ns);
    group.late += call.free_delay_ns > limits.late_start_ns;
    group.short_work += call.work_ns < duration;
  }
  for (auto& [key, group] : groups) {
    const Description host = Describe(group.durations);
    const Description delay = Describe(group.delays);
    const Window& window = windows[key.first];
    table.AddRow({window.StepValue(), key.second, host.count, group.works, host.count - delay.count,
                  host.total, host.mean, host.p50, host.p99, host.max, group.slow, delay.mean,
                  delay.p50, delay.p99, delay.max, group.late, group.short_work, window.complete});
  }
  return {table};
}

}  // namespace

const Analysis& LaunchesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "launches",
      .summary = "calls that put work on the device: their host time and the delay of their work",
      .definition =
          "Calls of the device's API that launched recorded work, and kernel, graph, copy and "
          "memset calls by name: CUDA runtime and driver (Triton), HIP, graphs, MTIA. The delay "
          "is max(0, begin of the first work - end of the call); it holds the time that the work "
          "waits in its stream behind other work, so it is long where the host runs ahead, which "
          "is no fault. A call is slow above slow_call_us; its work is late when it begins "
          "more than late_start_us after both the call had returned and all earlier work of its "
          "stream had ended: the queue does not explain the wait. launch_outliers lists them. "
          "Calls in the middle of a graph's capture launch nothing "
          "and count as without_work.",
      .example = "rankscope table launches traces/ --set slow_call_us=20",
      .columns = Columns(),
      .mapper = {.name = "launches",
                 .version = 2,
                 .options = LaunchOptions(),
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(LaunchesAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
