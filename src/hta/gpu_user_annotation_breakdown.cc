#include "hta/analyses.h"
#include "hta/name_totals.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

constexpr std::string_view kGroup = "annotation";

struct GpuAnnotationBreakdownRows : Schema<GpuAnnotationBreakdownRows, NameTotals> {
  static constexpr std::string_view kName = "hta.gpu_user_annotation_breakdown";

  IntColumn rank = Int(column::Rank());
};

void MakeGpuUserAnnotationBreakdown(const Frame& frame, const Options& options,
                                    TableOf<NameSumPartial>& table) {
  const std::string_view category =
      FlagOf(options, "use_gpu_annotation") ? "gpu_user_annotation" : "user_annotation";
  NameSums sums;
  for (const Event& event : frame.events) {
    if (frame.CategoryOf(event) == category) sums.Add(frame.NameOf(event), event.dur);
  }
  sums.AppendTo(table, kGroup);
}

Table ReduceGpuUserAnnotationBreakdown(const AllRanks& all, const Options& options) {
  const Folding folding{CountOf(options, "num_kernels"), RatioOf(options, "duration_ratio"),
                        TextsOf(options, "allowlist_patterns")};
  const auto& columns = SchemaOf<GpuAnnotationBreakdownRows>();
  auto table = columns.NewTable(std::string(GpuAnnotationBreakdownRows::kName));
  for (const RankTable& of_rank : all.ranks) {
    for (const NameTotal& total : Fold(TotalsOf(of_rank.table, kGroup), folding))
      AddTotal(table, columns, total, columns.rank = of_rank.rank);
  }
  table.SortBy({{columns.rank}, {columns.name}});
  return table;
}

}  // namespace

const Analysis& GpuUserAnnotationBreakdown() {
  static const Analysis kAnalysis = ReducedOverRanks<NameSumPartial, GpuAnnotationBreakdownRows>(
      {
          .summary = "HTA's get_gpu_user_annotation_breakdown: durations of annotations by name",
          .definition =
              "Durations of annotations by rank and name; nested ones count in each other's time. "
              "More than num_kernels names are folded as in hta.gpu_kernel_breakdown, except those "
              "that hold one of the allowlist_patterns (plain texts, as HTA escapes its patterns).",
          .example = "rankscope table hta.gpu_user_annotation_breakdown traces/ --set "
                     "use_gpu_annotation=false",
          .options = {UseGpuAnnotation()},
          .job_options = {DurationRatio(), NumKernels("1000"), AllowlistPatterns()},
          .make = Filling(MakeGpuUserAnnotationBreakdown),
      },
      ReduceGpuUserAnnotationBreakdown);
  return kAnalysis;
}

}  // namespace rankscope::hta
