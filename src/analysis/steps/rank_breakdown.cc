#include "analysis/steps/rank_breakdown.h"

#include "analysis/steps/breakdown_parts.h"
#include "analysis/steps/step_times.h"
#include "analysis/steps/time_breakdown.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Device(),
      column::Text("part", "compute, exposed_communication, exposed_copy, idle_..., unknown"),
      column::Int("duration_ns", "ns", "time of the part, over the counted windows"),
      column::Real("share_pct", "%", "duration_ns of all parts of the device"),
      column::Int("windows", "", "how many windows were counted"),
  };
  return kColumns;
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&, const Options&) {
  Table table("rank_breakdown", Columns());
  for (const auto& [key, device] : SumBreakdown(*inputs[0], *inputs[1])) {
    for (std::size_t i = 0; i < kBreakdownParts.size(); ++i) {
      table.AddRow({key.first, key.second, kBreakdownParts[i].name, device.parts[i],
                    device.SharePct(i), device.windows});
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
      .columns = Columns(),
      .inputs = {&TimeBreakdownAnalysis(), &StepTimesAnalysis()},
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
