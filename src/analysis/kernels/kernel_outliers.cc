#include "analysis/kernels/kernel_outliers.h"

#include "analysis/kernels/outlier_rows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Int("event", "", "index in the file's traceEvents"),
      column::Int("ts_ns", "ns", "begin, from the job's origin, by the rank's own clock"),
      column::Int("dur_ns", "ns", "duration"),
      column::Text("name", "name of the kernel or copy as recorded"),
      column::Text("class", "what it is for (kernel_classes)"),
      column::Device(),
      column::Stream(),
      column::StepOfWindow(),
      column::Real("median_ns", "ns", "median duration of its like on the rank"),
      column::Real("times_median", "", "duration / median"),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("kernel_outliers", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const auto& [row, median] : FindOutliers(facts, windows)) {
    const Track& track = trace.track_of(row);
    const auto duration = static_cast<double>(trace.dur_ns[row]);
    table.AddRow({std::int64_t{trace.source[row]}, trace.meta.base_ns + trace.ts_ns[row],
                  trace.dur_ns[row], trace.name_of(row), ToString(facts.classes().ClassOf(row)),
                  track.first, track.second, windows[windows.At(trace.ts_ns[row])].StepValue(),
                  median, median > 0 ? Value(duration / median) : Value(kNull)});
  }
  return {table};
}

}  // namespace

const Analysis& KernelOutliersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_outliers",
      .size = Size::kDetail,
      .summary = "single kernels and copies that took far longer than their like",
      .definition = std::string("Device work ") + kOutlierText + ".",
      .example = "rankscope table kernel_outliers traces/ --steps 551",
      .columns = Columns(),
      .mapper = {.name = "kernel_outliers",
                 .version = 3,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(KernelOutliersAnalysis, 3, {"ts_ns"}),
  };
  return kAnalysis;
}

}  // namespace rankscope
