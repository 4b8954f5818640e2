#include "analysis/device/analyses.h"

#include <array>
#include <utility>

#include "analysis/device/class_sweep.h"
#include "base/saturating.h"
#include "facts/kernel_rules.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct KernelClassesSum {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t busy = 0;
  std::int64_t alone = 0;
};

std::vector<Table> MapKernelClasses(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<KernelClasses>();
  auto table = columns.NewPartial("kernel_classes");
  const RankTrace& trace = facts.trace();
  for (const DeviceTime& device : facts.recorded_devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    std::vector<std::array<KernelClassesSum, kKernelClassCount>> sums(windows.size());
    for (const Row row : device.work) {
      const std::size_t window = windows.OfWork(row);
      if (window == Windows::kNone) continue;
      KernelClassesSum& sum = sums[window][static_cast<std::size_t>(facts.classes().ClassOf(row))];
      ++sum.count;
      AddSaturating(sum.total, trace.dur_ns[row]);
    }
    const auto times = SweepClasses(facts, device, windows);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      std::int64_t busy = 0;
      for (const auto& [set, time] : times[w]) {
        busy += time;
        for (std::size_t k = 0; k < kKernelClassCount; ++k) {
          if ((set >> k & 1U) == 0) continue;
          sums[w][k].busy += time;
          if (set == ClassSet{1} << k) sums[w][k].alone += time;
        }
      }
      for (std::size_t k = 0; k < kKernelClassCount; ++k) {
        const KernelClassesSum& sum = sums[w][k];
        if (sum.count == 0 && sum.busy == 0) continue;
        table.Add({columns.device = device.device, columns.step = windows[w].StepValue(),
                   columns.kernel_class = ToString(static_cast<KernelClass>(k)),
                   columns.count = sum.count, columns.total_ns = sum.total,
                   columns.busy_ns = sum.busy, columns.alone_ns = sum.alone,
                   columns.share_pct = Percent(sum.busy, busy),
                   columns.complete = windows[w].complete});
      }
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& KernelClassesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_classes",
      .summary = "device time by what kernels are for: gemm, attention, nccl, memory, ...",
      .definition =
          "Kernels, copies and memsets by class. busy_ns is the union of their intervals, clipped "
          "to the window; classes that run together both count, so shares can sum to more than "
          "100 (class_overlap divides without remainder). Copies and memsets are 'memory', a "
          "kernel with the arguments of a collective is communication, nccl on AMD devices is "
          "rccl. XLA's instructions go by hlo_category, opcode and kind of fusion. Everything else "
          "goes by name, in lower case and without the namespace fbgemm_gpu: "
          "the first rule with a pattern that fits decides (^ = at the beginning, after 'void '), "
          "else 'other'. --kernel-classes FILE puts rules of your own before these (a line is "
          "CLASS "
          "PATTERN...). The rules: " +
          DescribeClassRules() + ".",
      .example = "rankscope table kernel_classes traces/ --steps 551",
      .columns = SchemaOf<KernelClasses>().columns(),
      .mapper = {.name = "kernel_classes",
                 .version = 3,
                 .tables = {SchemaOf<KernelClasses>().BareColumns()},
                 .map = MapKernelClasses},
      .reducer = JoinRows<KernelClasses>(SchemaOf<KernelClasses>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
