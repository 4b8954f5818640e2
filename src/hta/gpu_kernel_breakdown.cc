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

void Make(const Frame& frame, const Options& options, Table& table) {
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

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = [] {
    std::vector<ColumnSpec> columns = NameTotalColumns();
    columns.push_back({"kernel_type", ColumnType::kString, "", "HTA's class of the kernel"});
    columns.push_back({"rank", ColumnType::kInt64, "", "global rank"});
    return columns;
  }();
  return kColumns;
}

Table Reduce(const AllRanks& all, const Options& options) {
  const Folding folding{CountOf(options, "num_kernels"), RatioOf(options, "duration_ratio"), {}};
  Table table("hta.gpu_kernel_breakdown", Columns());
  for (const RankTable& of_rank : all.ranks) {
    for (const KernelType type : kTypes) {
      const std::string_view type_name = ToString(type);
      for (const NameTotal& total : Fold(TotalsOf(of_rank.table, type_name), folding)) {
        std::vector<Value> cells = CellsOf(total);
        cells.insert(cells.end(), {type_name, of_rank.rank});
        table.AddRow(cells);
      }
    }
  }
  const auto column = [&](std::string_view name) { return table.Find(name).value(); };
  table.SortBy({{column("kernel_type")}, {column("name")}, {column("rank")}});
  return table;
}

}  // namespace

const Analysis& GpuKernelBreakdown() {
  static const Analysis kAnalysis = ReducedOverRanks(
      {
          .name = "hta.gpu_kernel_breakdown",
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
          .columns = NameSums::Columns(),
          .options = {IncludeMemoryKernels()},
          .job_options = {DurationRatio(), NumKernels("10")},
          .make = Make,
      },
      Columns(), Reduce);
  return kAnalysis;
}

}  // namespace rankscope::hta
