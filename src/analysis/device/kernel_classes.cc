#include "analysis/device/kernel_classes.h"

#include <array>

#include "analysis/device/class_sweep.h"
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
      column::Text("class", "class of the work"),
      column::Int("count", "", "kernels, copies and memsets of the class that begin in the window"),
      column::Int("total_ns", "ns", "sum of their whole durations; overlapping work counts twice"),
      column::Int("busy_ns", "ns", "time in the window in which the class runs"),
      column::Int("alone_ns", "ns", "part of busy_ns in which no other class runs"),
      column::Real("share_pct", "%", "busy_ns of the time in which the device works at all"),
      column::Complete(),
  });
  return kColumns;
}

struct Sum {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t busy = 0;
  std::int64_t alone = 0;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("kernel_classes", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const DeviceTime& device : facts.devices()) {
    std::vector<std::array<Sum, kKernelClassCount>> sums(windows.size());
    for (const Row row : device.work) {
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window == Windows::kNone) continue;
      Sum& sum = sums[window][static_cast<std::size_t>(facts.classes().ClassOf(row))];
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
        const Sum& sum = sums[w][k];
        if (sum.count == 0 && sum.busy == 0) continue;
        table.AddRow({device.device, windows[w].StepValue(), ToString(static_cast<KernelClass>(k)),
                      sum.count, sum.total, sum.busy, sum.alone, Percent(sum.busy, busy),
                      windows[w].complete});
      }
    }
  }
  return {table};
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
          "rccl. Everything else goes by name, in lower case and without the namespace fbgemm_gpu: "
          "the first rule with a pattern that fits decides (^ = at the beginning, after 'void '), "
          "else 'other'. The rules: " +
          DescribeClassRules() + ".",
      .example = "rankscope table kernel_classes traces/ --steps 551",
      .columns = Columns(),
      .mapper = {.name = "kernel_classes",
                 .version = 2,
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(KernelClassesAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
