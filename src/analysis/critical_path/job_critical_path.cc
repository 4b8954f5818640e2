#include <map>
#include <vector>

#include "analysis/critical_path/analyses.h"
#include "analysis/ranks/shares_over_ranks.h"
#include "analysis/steps/counted_windows.h"
#include "analysis/steps/step_times.h"
#include "base/saturating.h"
#include "facts/path_charges.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = ShareColumns(
      "host, data_loading, launch, kernel_gap, compute, communication, copy, unexplained", "rank");
  return kColumns;
}

// "kernel_gap_ns" -> "kernel_gap".
std::string_view PartName(const CauseText& cause) {
  return cause.column.substr(0, cause.column.size() - 3);
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&, const Options&) {
  const Table& path = *inputs[0];
  const CountedWindows counted(*inputs[1]);
  const std::size_t rank = *path.Find("rank");
  const std::size_t duration = *path.Find("duration_ns");
  std::vector<std::string_view> names;
  names.reserve(kCauseTexts.size());
  for (const CauseText& cause : kCauseTexts) names.push_back(PartName(cause));
  std::map<std::int64_t, PartsOfOne> ranks;
  for (std::size_t row = 0; row < path.row_count(); ++row) {
    if (!counted.Counts(path, row)) continue;
    PartsOfOne& one = ranks[path.Int(row, rank)];
    one.rank = path.Int(row, rank);
    one.parts_ns.resize(names.size());
    AddSaturating(one.whole_ns, path.Int(row, duration));
    for (std::size_t i = 0; i < names.size(); ++i)
      AddSaturating(one.parts_ns[i], path.Int(row, *path.Find(kCauseTexts[i].column)));
  }
  std::vector<PartsOfOne> ones;
  ones.reserve(ranks.size());
  for (const auto& [number, one] : ranks) {
    if (one.whole_ns > 0) ones.push_back(one);
  }
  Table table("job_critical_path", Columns());
  AppendShares(names, ones, table);
  return table;
}

}  // namespace

const Analysis& JobCriticalPathAnalysis() {
  static const Analysis kAnalysis = {
      .name = "job_critical_path",
      .summary = "what decides how long the steps of the job take, by cause",
      .definition =
          "critical_path summed over all ranks: a rank's complete steps, or all of its recording "
          "when it has none. Shares of single ranks show how far they lie apart.",
      .example = "rankscope table job_critical_path traces/",
      .columns = Columns(),
      .inputs = {&CriticalPathAnalysis(), &StepTimesAnalysis()},
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
