#include "analysis/kernels/analyses.h"

#include <utility>

#include "analysis/kernels/outlier_rows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct KernelOutliers : Schema<KernelOutliers, RankRows> {
  static constexpr std::string_view kName = "kernel_outliers";

  IntColumn event = Int("event", "", "index in the file's traceEvents");
  IntColumn ts_ns = Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock");
  IntColumn dur_ns = Int("dur_ns", "ns", "duration");
  StringColumn name = Text("name", "name of the kernel or copy as recorded");
  StringColumn kernel_class = Text("class", "what it is for (kernel_classes)");
  IntColumn device = Int(column::Device());
  IntColumn stream = Int(column::Stream());
  IntColumn step = Int(column::StepOfLaunch());
  RealColumn median_ns = Real("median_ns", "ns", "median duration of its like on the rank");
  RealColumn times_median = Real("times_median", "", "duration / median");
};

std::vector<Table> MapKernelOutliers(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<KernelOutliers>();
  auto table = columns.NewPartial("kernel_outliers");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  for (const auto& [row, median] : FindOutliers(facts, windows)) {
    const Track& track = trace.track_of(row);
    const auto duration = static_cast<double>(trace.dur_ns[row]);
    table.Add({columns.event = trace.source[row],
               columns.ts_ns = trace.meta.base_ns + trace.ts_ns[row],
               columns.dur_ns = trace.dur_ns[row], columns.name = trace.name_of(row),
               columns.kernel_class = ToString(facts.classes().ClassOf(row)),
               columns.device = track.first, columns.stream = track.second,
               columns.step = windows[windows.OfWork(row)].StepValue(), columns.median_ns = median,
               columns.times_median = median > 0 ? Value(duration / median) : Value(kNull)});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& KernelOutliersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_outliers",
      .size = Size::kDetail,
      .summary = "single kernels and copies that took far longer than their like",
      .definition = std::string("Device work ") + kOutlierText + ".",
      .example = "rankscope table kernel_outliers traces/ --steps 551",
      .columns = SchemaOf<KernelOutliers>().columns(),
      .mapper = {.name = "kernel_outliers",
                 .version = 4,
                 .tables = {SchemaOf<KernelOutliers>().BareColumns()},
                 .map = MapKernelOutliers},
      .reducer = JoinRows<KernelOutliers>(SchemaOf<KernelOutliers>().event,
                                          {SchemaOf<KernelOutliers>().ts_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
