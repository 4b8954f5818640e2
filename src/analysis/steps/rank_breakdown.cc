#include "analysis/steps/analyses.h"

#include "analysis/steps/breakdown_parts.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

Result<Table> DeriveRankBreakdown(const InputTables& inputs, const JobContext&, const Options&) {
  const auto& columns = SchemaOf<RankBreakdown>();
  auto table = columns.NewTable("rank_breakdown");
  for (const auto& [key, device] :
       SumBreakdown(inputs.Of<TimeBreakdown>(), inputs.Of<StepTimes>())) {
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      table.Add({columns.rank = key.first, columns.device = key.second, columns.part = kParts[i].id,
                 columns.duration_ns = device.parts[i], columns.share_pct = device.SharePct(i),
                 columns.windows = device.windows});
    }
  }
  return table;
}

}  // namespace

const Analysis& RankBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "rank_breakdown",
      .summary = "where the time of every device went, over its complete steps",
      .definition =
          "time_breakdown summed over the complete steps of a rank; of a rank that has none, over "
          "all windows. The ten parts of a device sum to its counted time.",
      .example = "rankscope table rank_breakdown traces/",
      .columns = SchemaOf<RankBreakdown>().columns(),
      .inputs = {&TimeBreakdownAnalysis(), &StepTimesAnalysis()},
      .derive = DeriveRankBreakdown,
  };
  return kAnalysis;
}

}  // namespace rankscope
