#include <array>
#include <map>

#include "base/saturating.h"
#include "hta/analyses.h"
#include "hta/intervals.h"
#include "hta/kernel_types.h"
#include "hta/options.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

constexpr std::array kLabelledTypes = {KernelType::kComputation, KernelType::kCommunication,
                                       KernelType::kMemory};

struct TypeTimePartial : Schema<TypeTimePartial> {
  StringColumn kernel_type = Text("kernel_type");
  IntColumn sum = Int("sum");
};

struct GpuKernelTypeBreakdownRows : Schema<GpuKernelTypeBreakdownRows> {
  static constexpr std::string_view kName = "hta.gpu_kernel_type_breakdown";

  StringColumn kernel_type = Text("kernel_type", "the classes that run at a time");
  IntColumn sum = Int("sum", "us", "time in which exactly these run, summed over ranks");
  RealColumn percentage = Real("percentage", "", "of the sums of all rows");
};

// "COMPUTATION overlapping MEMORY" for the bits of the types that run.
std::string LabelOf(std::int64_t running) {
  std::string label;
  for (std::size_t i = 0; i < kLabelledTypes.size(); ++i) {
    if ((running >> i & 1) == 0) continue;
    if (!label.empty()) label += " overlapping ";
    label += ToString(kLabelledTypes[i]);
  }
  return label;
}

void MakeGpuKernelTypeBreakdown(const Frame& frame, const Options& options,
                                TableOf<TypeTimePartial>& table) {
  const std::size_t type_count =
      FlagOf(options, "include_memory_kernels") ? kLabelledTypes.size() : kLabelledTypes.size() - 1;
  std::array<std::vector<Span>, kKernelTypeCount> spans;
  KernelTypes types(frame);
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    spans[static_cast<std::size_t>(types.Of(event))].push_back({event.ts, event.end()});
  }
  std::vector<Change> changes;
  for (std::size_t i = 0; i < type_count; ++i) {
    AppendChanges(MergeSpans(std::move(spans[static_cast<std::size_t>(kLabelledTypes[i])])),
                  std::int64_t{1} << i, changes);
  }
  std::map<std::string, std::int64_t> sums;
  Sweep(changes, [&](std::int64_t running, std::int64_t duration) {
    // Spans that end before they begin can make the sum negative; HTA looks at positive ones only.
    if (running > 0) sums[LabelOf(running)] += duration;
  });
  const auto& columns = SchemaOf<TypeTimePartial>();
  for (const auto& [label, sum] : sums) table.Add({columns.kernel_type = label, columns.sum = sum});
}

Table ReduceGpuKernelTypeBreakdown(const AllRanks& all, const Options&) {
  const auto& of_type = SchemaOf<TypeTimePartial>();
  std::map<std::string, std::int64_t, std::less<>> sums;
  std::int64_t total = 0;
  for (const RankTable& of_rank : all.ranks) {
    const ViewOf<TypeTimePartial> rows = of_rank.table;
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const std::int64_t sum = rows.Int(row, of_type.sum);
      AddSaturating(sums[std::string(rows.String(row, of_type.kernel_type))], sum);
      AddSaturating(total, sum);
    }
  }
  const auto& columns = SchemaOf<GpuKernelTypeBreakdownRows>();
  auto table = columns.NewTable(std::string(GpuKernelTypeBreakdownRows::kName));
  for (const auto& [label, sum] : sums) {
    const Value percentage =
        total == 0 ? Value(kNull)
                   : Value(Round(static_cast<double>(sum) / static_cast<double>(total) * 100, 1));
    table.Add({columns.kernel_type = label, columns.sum = sum, columns.percentage = percentage});
  }
  table.SortBy({{columns.sum, true}});
  return table;
}

}  // namespace

const Analysis& GpuKernelTypeBreakdown() {
  static const Analysis kAnalysis = ReducedOverRanks<TypeTimePartial, GpuKernelTypeBreakdownRows>(
      {
          .summary = "HTA's get_gpu_kernel_breakdown, first table: time by kernel class",
          .definition =
              "The unions of HTA's computation, communication and memory kernels of each rank, cut "
              "where the set of running classes changes; the pieces of each set summed over all "
              "ranks. Idle time and kernels of no class do not count.",
          .example = "rankscope table hta.gpu_kernel_type_breakdown traces/ --set "
                     "include_memory_kernels=false",
          .options = {IncludeMemoryKernels()},
          .make = Filling(MakeGpuKernelTypeBreakdown),
      },
      ReduceGpuKernelTypeBreakdown);
  return kAnalysis;
}

}  // namespace rankscope::hta
