#include "analysis/steps/step_spread.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/steps/step_times.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Int("step", "", "number of the step; null = all of them together"),
      column::Int("ranks", "", "ranks that ran it completely"),
      column::Int("steps", "", "complete steps counted, over ranks and recordings"),
      column::Int("min_ns", "ns", "shortest"),
      column::Real("p25_ns", "ns", "25th percentile"),
      column::Real("median_ns", "ns", "median"),
      column::Real("mean_ns", "ns", "mean"),
      column::Real("p75_ns", "ns", "75th percentile"),
      column::Int("max_ns", "ns", "longest"),
      column::Int("fastest_rank", "", "the rank with the shortest, the lowest of several"),
      column::Int("slowest_rank", "", "the rank with the longest, the lowest of several"),
      {"inferred", ColumnType::kBool, "", "found by periodicity, without a ProfilerStep mark"},
  };
  return kColumns;
}

struct Group {
  std::vector<std::pair<std::int64_t, std::int64_t>> durations;  // duration, rank
  std::set<std::int64_t> ranks;
  bool inferred = false;

  void Add(std::int64_t duration, std::int64_t rank, bool is_inferred) {
    durations.emplace_back(duration, rank);
    ranks.insert(rank);
    inferred |= is_inferred;
  }
};

void AddRow(Table& table, Value step, Group& group) {
  std::sort(group.durations.begin(), group.durations.end());
  std::vector<std::int64_t> sorted;
  sorted.reserve(group.durations.size());
  double sum = 0;
  for (const auto& [duration, rank] : group.durations) {
    sorted.push_back(duration);
    sum += static_cast<double>(duration);
  }
  const auto slowest = std::lower_bound(group.durations.begin(), group.durations.end(),
                                        std::pair(sorted.back(), INT64_MIN));
  table.AddRow({step, static_cast<std::int64_t>(group.ranks.size()),
                static_cast<std::int64_t>(sorted.size()), sorted.front(), Quantile(sorted, 0.25),
                Quantile(sorted, 0.5), sum / static_cast<double>(sorted.size()),
                Quantile(sorted, 0.75), sorted.back(), group.durations.front().second,
                slowest->second, group.inferred});
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&, const Options&) {
  const Table& steps = *inputs.front();
  const auto column = [&](std::string_view name) { return *steps.Find(name); };
  std::map<std::int64_t, Group> by_number;
  Group all;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    if (!steps.Bool(row, column("complete"))) continue;
    const std::int64_t duration = steps.Int(row, column("duration_ns"));
    const std::int64_t rank = steps.Int(row, column("rank"));
    const bool inferred = steps.Bool(row, column("inferred"));
    by_number[steps.Int(row, column("step"))].Add(duration, rank, inferred);
    all.Add(duration, rank, inferred);
  }
  Table table("step_spread", Columns());
  for (auto& [number, group] : by_number) AddRow(table, number, group);
  if (!all.durations.empty()) AddRow(table, kNull, all);
  return table;
}

}  // namespace

const Analysis& StepSpreadAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_spread",
      .summary = "step time over steps: how far ranks lie apart",
      .definition =
          "Complete steps (step_times) by number, over all ranks and recordings, with one row for "
          "all of them together (step is null). Percentiles with linear interpolation.",
      .example = "rankscope table step_spread traces/",
      .columns = Columns(),
      .inputs = {&StepTimesAnalysis()},
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
