#include <array>

#include "hta/analyses.h"
#include "hta/kernel_types.h"
#include "hta/name_totals.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

constexpr std::array kTypes = {KernelType::kCommunication, KernelType::kComputation,
                               KernelType::kMemory};

struct GpuKernelBreakdownRows : Schema<GpuKernelBreakdownRows, NameTotals> {
  static constexpr std::string_view kName = "hta.gpu_kernel_breakdown";

  StringColumn kernel_type = Text("kernel_type", "HTA's class of the kernel");
  IntColumn rank = Int(column::Rank());
};

void MakeGpuKernelBreakdown(const Frame& frame, const Options& options,
                            TableOf<NameSumPartial>& table) {
  std::array<NameSums, kKernelTypeCount> sums;
  KernelTypes types(frame);
  for (const Event& event : frame.events) {
    if (event.on_stream())
      sums[static_cast<std::size_t>(types.Of(event))].Add(frame.NameOf(event), event.dur);
  }
  for (const KernelType type : kTypes) {
    if (type == KernelType::kMemory && !FlagOf(options, "include_memory_kernels")) continue;
    sums[static_cast<std::size_t>(type)].AppendTo(table, ToString(type));
  }
}

Table ReduceGpuKernelBreakdown(const AllRanks& all, const Options& options) {
  const Folding folding{CountOf(options, "num_kernels"), RatioOf(options, "duration_ratio"), {}};
  const auto& columns = SchemaOf<GpuKernelBreakdownRows>();
  auto table = columns.NewTable(std::string(GpuKernelBreakdownRows::kName));
  for (const RankTable& of_rank : all.ranks) {
    for (const KernelType type : kTypes) {
      const std::string_view type_name = ToString(type);
      for (const NameTotal& total : Fold(TotalsOf(of_rank.table, type_name), folding))
        AddTotal(table, columns, total, columns.kernel_type = type_name,
                 columns.rank = of_rank.rank);
    }
  }
  table.SortBy({{columns.kernel_type}, {columns.name}, {columns.rank}});
  return table;
}

}  // namespace

const Analysis& GpuKernelBreakdown() {
  static const Analysis kAnalysis = ReducedOverRanks<NameSumPartial, GpuKernelBreakdownRows>(
      {
          .summary = "HTA's get_gpu_kernel_breakdown, second table: durations by kernel name",
          .definition =
              "Durations of events with a stream by rank, HTA's class and name. With more than "
              "num_kernels names of a class on a rank, names are sorted by their sum and those "
              "beyond the duration_ratio quantile of the cumulated sums, or after the first "
              "num_kernels, become \"others\"; HTA then groups the sums once more, so that max, "
              "min and mean of every name become its total and stddev 0. Use kernels_by_name for "
              "right ones.",
          .example = "rankscope table hta.gpu_kernel_breakdown traces/ --set num_kernels=5 --set "
                     "duration_ratio=0.5",
          .options = {IncludeMemoryKernels()},
          .job_options = {DurationRatio(), NumKernels("10")},
          .make = Filling(MakeGpuKernelBreakdown),
      },
      ReduceGpuKernelBreakdown);
  return kAnalysis;
}

}  // namespace rankscope::hta
