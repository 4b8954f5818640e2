#include "analysis/launches/analyses.h"

#include <map>
#include <utility>

#include "analysis/launches/launch_calls.h"
#include "analysis/launches/launch_limits.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/launches.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct LaunchGroup {
  std::vector<std::int64_t> durations;
  std::vector<std::int64_t> delays;
  std::int64_t works = 0;
  std::int64_t slow = 0;
  std::int64_t late = 0;
  std::int64_t short_work = 0;
};

std::vector<Table> MapLaunches(const TraceFacts& facts, const MapOptions& options) {
  const LaunchLimits limits = LaunchLimitsOf(options.values);
  const auto& columns = SchemaOf<Launches>();
  auto table = columns.NewPartial("launches");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  std::map<std::pair<std::size_t, std::string_view>, LaunchGroup> groups;
  for (const LaunchCall& call : LaunchCallsOf(trace)) {
    const std::size_t window = windows.At(trace.ts_ns[call.call]);
    if (window == Windows::kNone) continue;
    LaunchGroup& group = groups[{window, trace.name_of(call.call)}];
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
    table.Add({columns.step = window.StepValue(), columns.call = key.second,
               columns.count = host.count, columns.works = group.works,
               columns.without_work = host.count - delay.count, columns.total_ns = host.total,
               columns.mean_ns = host.mean, columns.p50_ns = host.p50, columns.p99_ns = host.p99,
               columns.max_ns = host.max, columns.slow_calls = group.slow,
               columns.delay_mean_ns = delay.mean, columns.delay_p50_ns = delay.p50,
               columns.delay_p99_ns = delay.p99, columns.delay_max_ns = delay.max,
               columns.late_starts = group.late, columns.short_work = group.short_work,
               columns.complete = window.complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& LaunchesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "launches",
      .summary = "calls that put work on the device: their host time and the delay of their work",
      .definition =
          "Calls of the device's API that launched recorded work, and kernel, graph, copy and "
          "memset calls by name: CUDA runtime and driver (Triton), HIP, graphs, MTIA. The delay is "
          "max(0, begin of the first work - end of the call); it holds the time that the work "
          "waits in its stream behind other work, so it is long where the host runs ahead, which "
          "is no fault. A call is slow above slow_call_us; its work is late when it begins more "
          "than late_start_us after both the call had returned and all earlier work of its stream "
          "had ended: the queue does not explain the wait. launch_outliers lists them. Calls in "
          "the middle of a graph's capture launch nothing and count as without_work.",
      .example = "rankscope table launches traces/ --set slow_call_us=20",
      .columns = SchemaOf<Launches>().columns(),
      .mapper = {.name = "launches",
                 .version = 3,
                 .options = LaunchOptions(),
                 .tables = {SchemaOf<Launches>().BareColumns()},
                 .map = MapLaunches},
      .reducer = JoinRows<Launches>(SchemaOf<Launches>().call),
  };
  return kAnalysis;
}

}  // namespace rankscope
