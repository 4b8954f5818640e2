#include "analysis/steps/analyses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "schemas/steps.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct StepsOfKind {
  std::vector<std::pair<std::int64_t, std::int64_t>> durations;  // duration, rank
  std::set<std::int64_t> ranks;
  bool inferred = false;

  void Add(std::int64_t duration, std::int64_t rank, bool is_inferred) {
    durations.emplace_back(duration, rank);
    ranks.insert(rank);
    inferred |= is_inferred;
  }
};

void AddStepSpreadRow(TableOf<StepSpread>& table, std::optional<std::int64_t> step,
                      StepsOfKind& group) {
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
  const auto& columns = SchemaOf<StepSpread>();
  table.Add({columns.step = step, columns.ranks = static_cast<std::int64_t>(group.ranks.size()),
             columns.steps = static_cast<std::int64_t>(sorted.size()),
             columns.min_ns = sorted.front(), columns.p25_ns = Quantile(sorted, 0.25),
             columns.median_ns = Quantile(sorted, 0.5),
             columns.mean_ns = sum / static_cast<double>(sorted.size()),
             columns.p75_ns = Quantile(sorted, 0.75), columns.max_ns = sorted.back(),
             columns.fastest_rank = group.durations.front().second,
             columns.slowest_rank = slowest->second, columns.inferred = group.inferred});
}

// The ranks that did device work in some step.
std::set<std::int64_t> RanksWithDevices(ViewOf<StepTimes> steps) {
  const auto& of_step = SchemaOf<StepTimes>();
  std::set<std::int64_t> ranks;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    if (steps.Int(row, of_step.device_work) > 0 || steps.Int(row, of_step.launched_work) > 0)
      ranks.insert(steps.Int(row, of_step.rank));
  }
  return ranks;
}

Result<Table> DeriveStepSpread(const InputTables& inputs, const JobContext&, const Options&) {
  const ViewOf<StepTimes> steps = inputs.Of<StepTimes>();
  const auto& of_step = SchemaOf<StepTimes>();
  const std::set<std::int64_t> with_devices = RanksWithDevices(steps);
  std::map<std::int64_t, StepsOfKind> by_number;
  StepsOfKind all;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    if (!steps.Bool(row, of_step.complete)) continue;
    const std::int64_t duration = steps.Int(row, of_step.duration_ns);
    const std::int64_t rank = steps.Int(row, of_step.rank);
    if (!with_devices.empty() && !with_devices.contains(rank)) continue;
    const bool inferred = steps.Bool(row, of_step.inferred);
    by_number[steps.Int(row, of_step.step)].Add(duration, rank, inferred);
    all.Add(duration, rank, inferred);
  }
  auto table = SchemaOf<StepSpread>().NewTable("step_spread");
  for (auto& [number, group] : by_number) AddStepSpreadRow(table, number, group);
  if (!all.durations.empty()) AddStepSpreadRow(table, std::nullopt, all);
  return table;
}

}  // namespace

const Analysis& StepSpreadAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_spread",
      .summary = "step time over steps: how far ranks lie apart",
      .definition =
          "Complete steps (step_times) by number, over all ranks and recordings, with one row for "
          "all of them together (step is null), without ranks that did no device work where others "
          "did: their steps are the host's. Percentiles with linear interpolation.",
      .example = "rankscope table step_spread traces/",
      .columns = SchemaOf<StepSpread>().columns(),
      .inputs = {&StepTimesAnalysis()},
      .derive = DeriveStepSpread,
  };
  return kAnalysis;
}

}  // namespace rankscope
