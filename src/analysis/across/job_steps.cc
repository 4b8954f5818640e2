// job_steps: how long the job takes for each step.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "analysis/steps/analyses.h"
#include "base/interval.h"
#include "base/median.h"
#include "base/saturating.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

struct RankStep {
  std::uint32_t rank = 0;  // dense number
  Interval window;         // since the epoch, by the rank's clock
  bool complete = false;
};

// Ranks whose clocks are known to each other well enough for what is said of the step.
bool AreAligned(const std::vector<RankStep>& ranks, const AcrossFacts& facts) {
  const std::uint32_t first = ranks.front().rank;
  std::int64_t shortest = INT64_MAX;
  for (const RankStep& step : ranks)
    shortest = std::min(shortest, SaturatingSubtract(step.window.end, step.window.begin));
  return std::all_of(ranks.begin(), ranks.end(), [&](const RankStep& step) {
    return facts.clocks().AreAlignedFor(first, step.rank, shortest);
  });
}

void AddJobStepsRow(TableOf<JobSteps>& table, std::pair<std::int64_t, std::int64_t> group_and_step,
                    const std::vector<RankStep>& ranks, const AcrossFacts& facts,
                    std::int64_t origin_ns) {
  const auto& columns = SchemaOf<JobSteps>();
  const bool aligned = AreAligned(ranks, facts);
  const bool complete =
      std::all_of(ranks.begin(), ranks.end(), [](const RankStep& step) { return step.complete; });
  Interval window{INT64_MIN, INT64_MIN};
  std::vector<std::int64_t> durations;
  for (const RankStep& step : ranks) {
    durations.push_back(SaturatingSubtract(step.window.end, step.window.begin));
    window.begin = std::max(window.begin, facts.Aligned(step.rank, step.window.begin));
    window.end = std::max(window.end, facts.Aligned(step.rank, step.window.end));
  }
  const Value start = aligned ? Value(SaturatingSubtract(window.begin, origin_ns)) : Value(kNull);
  table.Add({columns.group = group_and_step.first, columns.step = group_and_step.second,
             columns.start_ns = start,
             columns.duration_ns =
                 aligned ? SaturatingSubtract(window.end, window.begin) : MedianOf(durations),
             columns.ranks = static_cast<std::int64_t>(ranks.size()), columns.aligned = aligned,
             columns.complete = complete});
}

Result<Table> DeriveJobSteps(const InputTables& inputs, const JobContext& job, const Options&) {
  const ViewOf<StepTimes> steps = inputs.Of<StepTimes>();
  const auto& of_step = SchemaOf<StepTimes>();
  const AcrossFacts& facts = AcrossOf(job);
  std::map<std::int64_t, std::uint32_t> dense;
  for (std::uint32_t i = 0; i < facts.collectives().ranks().size(); ++i)
    dense.emplace(facts.collectives().ranks()[i].rank, i);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> group_of;  // by rank and capture
  for (const Capture& capture : job.captures)
    group_of[{capture.rank, capture.index}] = capture.group;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<RankStep>> by_step;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    const auto start = steps.Known(row, of_step.start_ns);
    const std::int64_t rank = steps.Int(row, of_step.rank);
    const auto known = dense.find(rank);
    if (!start || known == dense.end()) continue;
    const std::int64_t begin = SaturatingAdd(*start, job.origin_ns);
    by_step[{group_of[{rank, steps.Int(row, of_step.capture)}], steps.Int(row, of_step.step)}]
        .push_back({known->second,
                    {begin, SaturatingAdd(begin, steps.Int(row, of_step.duration_ns))},
                    steps.Bool(row, of_step.complete)});
  }
  auto table = SchemaOf<JobSteps>().NewTable("job_steps");
  for (const auto& [group_and_step, ranks] : by_step)
    AddJobStepsRow(table, group_and_step, ranks, facts, job.origin_ns);
  return table;
}

}  // namespace

const Analysis& JobStepsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "job_steps",
      .summary = "how long the job takes for each step, over all ranks",
      .definition =
          "A step of the job reaches from where the last rank ended the one before it to where the "
          "last rank ends it (step_times), by the aligned clock (clocks). Where the clocks of the "
          "ranks are not known to each other (sends may leave more than 2% of it open), it is the "
          "median of the ranks' own durations, and "
          "aligned is false.",
      .example = "rankscope table job_steps traces/",
      .columns = SchemaOf<JobSteps>().columns(),
      .facts = {&AcrossFact()},
      .inputs = {&StepTimesAnalysis()},
      .derive = DeriveJobSteps,
  };
  return kAnalysis;
}

}  // namespace rankscope
