#include "analysis/kernels/analyses.h"

#include <map>
#include <utility>

#include "analysis/kernels/kernel_groups.h"
#include "base/saturating.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct KernelsByRank : Schema<KernelsByRank, RankRows> {
  static constexpr std::string_view kName = "kernels_by_rank";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  IntColumn count = Int("count", "", "how often it was launched in the step");
  IntColumn total_ns = Int("total_ns", "ns", "sum of its whole durations");
  RealColumn share_pct = Real("share_pct", "%", "total_ns of all device work launched in the step");
  RealColumn mean_ns = Real("mean_ns", "ns", "total_ns / count");
  IntColumn min_ns = Int("min_ns", "ns", "shortest");
  RealColumn p50_ns = Real("p50_ns", "ns", "median");
  RealColumn p90_ns = Real("p90_ns", "ns", "90th percentile");
  RealColumn p99_ns = Real("p99_ns", "ns", "99th percentile");
  IntColumn max_ns = Int("max_ns", "ns", "longest");
  FlagColumn complete = Flag(column::Complete());
};

std::vector<Table> MapKernelsByRank(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<KernelsByRank>();
  auto table = columns.NewPartial("kernels_by_rank");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
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
    table.Add({columns.device = group.device, columns.step = windows[group.window].StepValue(),
               columns.name = trace.strings.Get(group.name),
               columns.kernel_class = ToString(group.kernel_class), columns.count = stats.count,
               columns.total_ns = stats.total, columns.share_pct = Percent(stats.total, all),
               columns.mean_ns = stats.mean, columns.min_ns = stats.min, columns.p50_ns = stats.p50,
               columns.p90_ns = stats.p90, columns.p99_ns = stats.p99, columns.max_ns = stats.max,
               columns.complete = windows[group.window].complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& KernelsByRankAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernels_by_rank",
      .size = Size::kDetail,
      .summary = "kernels, copies and memsets by name, for every rank and step",
      .definition =
          "Device work launched in the step, grouped by its full name. Percentiles are of the "
          "durations themselves, with linear interpolation between the two nearest (as numpy and "
          "pandas do by default).",
      .example = "rankscope table kernels_by_rank traces/ --ranks 0 --format csv",
      .columns = SchemaOf<KernelsByRank>().columns(),
      .mapper = {.name = "kernels_by_rank",
                 .version = 3,
                 .tables = {SchemaOf<KernelsByRank>().BareColumns()},
                 .map = MapKernelsByRank},
      .reducer = JoinRows<KernelsByRank>(SchemaOf<KernelsByRank>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
