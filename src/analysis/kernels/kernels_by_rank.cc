#include "analysis/kernels/kernels_by_rank.h"

#include <map>

#include "analysis/kernels/kernel_groups.h"
#include "base/saturating.h"
#include "stage/reduce.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::StepOfWindow(),
      column::Text("name", "name of the kernel or copy as recorded"),
      column::Text("class", "what it is for (kernel_classes)"),
      column::Int("count", "", "how often it begins in the window"),
      column::Int("total_ns", "ns", "sum of its whole durations"),
      column::Real("share_pct", "%", "total_ns of all device work that begins in the window"),
      column::Real("mean_ns", "ns", "total_ns / count"),
      column::Int("min_ns", "ns", "shortest"),
      column::Real("p50_ns", "ns", "median"),
      column::Real("p90_ns", "ns", "90th percentile"),
      column::Real("p99_ns", "ns", "99th percentile"),
      column::Int("max_ns", "ns", "longest"),
      column::Complete(),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("kernels_by_rank", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const std::vector<KernelGroup> groups = GroupKernels(facts, windows);
  std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> window_totals;
  for (const KernelGroup& group : groups) {
    for (const Row row : group.rows)
      AddSaturating(window_totals[{group.device, group.window}], trace.dur_ns[row]);
  }
  std::vector<std::int64_t> durations;
  for (const KernelGroup& group : groups) {
    durations.clear();
    for (const Row row : group.rows) durations.push_back(trace.dur_ns[row]);
    const Description stats = Describe(durations);
    const std::int64_t all = window_totals[{group.device, group.window}];
    table.AddRow({group.device, windows[group.window].StepValue(), trace.strings.Get(group.name),
                  ToString(group.kernel_class), stats.count, stats.total, Percent(stats.total, all),
                  stats.mean, stats.min, stats.p50, stats.p90, stats.p99, stats.max,
                  windows[group.window].complete});
  }
  return {table};
}

}  // namespace

const Analysis& KernelsByRankAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernels_by_rank",
      .size = Size::kDetail,
      .summary = "kernels, copies and memsets by name, for every rank and step",
      .definition =
          "Device work that begins in the window, grouped by its full name. Percentiles are of the "
          "durations themselves, with linear interpolation between the two nearest (as numpy and "
          "pandas do by default).",
      .example = "rankscope table kernels_by_rank traces/ --ranks 0 --format csv",
      .columns = Columns(),
      .mapper = {.name = "kernels_by_rank",
                 .version = 2,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(KernelsByRankAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
