#include "analysis/device/class_overlap.h"

#include <bit>

#include "analysis/device/class_sweep.h"
#include "stage/reduce.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::StepOfWindow(),
      column::Text("classes", "the classes that run together, \"gemm + nccl\""),
      column::Int("class_count", "", "how many these are"),
      column::Int("time_ns", "ns", "time in which exactly these classes run"),
      column::Real("share_pct", "%", "time_ns of the time in which the device works at all"),
      column::Complete(),
  });
  return kColumns;
}

std::string NameOf(ClassSet set) {
  std::string name;
  for (int k = 0; k < kKernelClassCount; ++k) {
    if ((set >> k & 1U) == 0) continue;
    if (!name.empty()) name += " + ";
    name += ToString(static_cast<KernelClass>(k));
  }
  return name;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("class_overlap", column::OfMap(Columns()));
  const Windows windows(facts.trace(), options.steps);
  for (const DeviceTime& device : facts.devices()) {
    const auto times = SweepClasses(facts, device, windows);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      std::int64_t busy = 0;
      for (const auto& [set, time] : times[w]) busy += time;
      for (const auto& [set, time] : times[w]) {
        const std::string name = NameOf(set);
        table.AddRow({device.device, windows[w].StepValue(), std::string_view(name),
                      std::int64_t{std::popcount(set)}, time, Percent(time, busy),
                      windows[w].complete});
      }
    }
  }
  return {table};
}

}  // namespace

const Analysis& ClassOverlapAnalysis() {
  static const Analysis kAnalysis = {
      .name = "class_overlap",
      .summary = "which kernel classes run at the same time; sums exactly to the busy time",
      .definition =
          "At every moment the set of kernel classes (kernel_classes) that run on a device; "
          "time_ns is how long exactly that set ran in the window. The sets of a window sum to the "
          "time in which the device works: compute + exposed communication + exposed copies of "
          "time_breakdown.",
      .example = "rankscope table class_overlap traces/",
      .columns = Columns(),
      .mapper = {.name = "class_overlap",
                 .version = 2,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(ClassOverlapAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
