#include "analysis/device/analyses.h"

#include <bit>
#include <utility>

#include "analysis/device/class_sweep.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::string NameOf(ClassSet set) {
  std::string name;
  for (int k = 0; k < kKernelClassCount; ++k) {
    if ((set >> k & 1U) == 0) continue;
    if (!name.empty()) name += " + ";
    name += ToString(static_cast<KernelClass>(k));
  }
  return name;
}

std::vector<Table> MapClassOverlap(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<ClassOverlap>();
  auto table = columns.NewPartial("class_overlap");
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    const auto times = SweepClasses(facts, device, windows);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      std::int64_t busy = 0;
      for (const auto& [set, time] : times[w]) busy += time;
      for (const auto& [set, time] : times[w]) {
        const std::string name = NameOf(set);
        table.Add({columns.device = device.device, columns.step = windows[w].StepValue(),
                   columns.classes = name, columns.class_count = std::popcount(set),
                   columns.time_ns = time, columns.share_pct = Percent(time, busy),
                   columns.complete = windows[w].complete});
      }
    }
  }
  return MoveTables(std::move(table));
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
      .columns = SchemaOf<ClassOverlap>().columns(),
      .mapper = {.name = "class_overlap",
                 .version = 3,
                 .tables = {SchemaOf<ClassOverlap>().BareColumns()},
                 .map = MapClassOverlap},
      .reducer = JoinRows<ClassOverlap>(SchemaOf<ClassOverlap>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
