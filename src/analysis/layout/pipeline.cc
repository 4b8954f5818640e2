#include "analysis/layout/pipeline.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/across/across_fact.h"
#include "base/interval.h"
#include "base/saturating.h"

namespace rankscope {

template const PassPartial& SchemaOf<PassPartial>();
namespace {

constexpr std::int64_t kNoStep = CollectiveEvent::kNoStep;

using Replica = std::array<std::int64_t, 4>;  // the capture of lanes, or -1; tp, cp, dp

// Where a lane or rank stands: ranks with one replica have a pipeline in common.
struct PipelinePlace {
  Replica replica{};
  std::int64_t stage = 0;
  std::int64_t stages = 0;
};

std::optional<PipelinePlace> PlaceOf(const AcrossFacts& facts, std::uint32_t rank) {
  const RankPlace& place = facts.layout().places[rank];
  for (const RoleLayout& role : facts.layout().roles) {
    if (role.role != place.role) continue;
    const std::int64_t stages = role.Of(Dimension::kPipeline).degree;
    if (stages < 2 || place.Of(Dimension::kPipeline) < 0) return std::nullopt;
    return PipelinePlace{.replica = {-1, place.Of(Dimension::kTensor),
                                     place.Of(Dimension::kContext), place.Of(Dimension::kData)},
                         .stage = place.Of(Dimension::kPipeline),
                         .stages = stages};
  }
  return std::nullopt;
}

// Sends from one rank to another over all steps.
using SendCounts = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

SendCounts CountSends(const JobCollectives& all) {
  SendCounts counts;
  for (const CollectiveEvent& event : all.events()) {
    if (event.op == CollectiveOp::kSend && event.peer >= 0)
      ++counts[{all.ranks()[event.rank].rank, event.peer}];
  }
  return counts;
}

// Micro-batches of a step and chunks of layers per stage.
struct Schedule {
  std::int64_t micro_batches = 0;
  std::int64_t virtual_stages = 1;
};

std::int64_t ForwardsOf(const PipelineStep& step) {
  return std::count_if(step.passes.begin(), step.passes.end(),
                       [](const PipelineStep::Pass& pass) { return !pass.is_backward; });
}

std::int64_t ForwardsBeforeBackward(const PipelineStep& step) {
  const auto backward =
      std::find_if(step.passes.begin(), step.passes.end(),
                   [](const PipelineStep::Pass& pass) { return pass.is_backward; });
  return backward - step.passes.begin();
}

// What most stages have, of equally many the larger number: recordings that are cut off have fewer.
std::int64_t CommonForwards(std::span<const PipelineStep> stages) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const PipelineStep& step : stages) ++counts[ForwardsOf(step)];
  const auto common =
      std::max_element(counts.rbegin(), counts.rend(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return common->first;
}

// Of a step of a pipeline, 0 where the messages do not name their peers.
std::int64_t SentAround(std::span<const PipelineStep> stages, const SendCounts& sends,
                        std::int64_t steps) {
  // With two stages both neighbours are the same rank.
  const std::int64_t last = stages.front().stages - 1;
  if (last < 2 || steps == 0) return 0;
  std::map<std::int64_t, std::int64_t> rank_at;
  for (const PipelineStep& step : stages) rank_at.emplace(step.stage, step.rank);
  const auto sender = rank_at.find(last);
  const auto receiver = rank_at.find(0);
  if (sender == rank_at.end() || receiver == rank_at.end()) return 0;
  const auto found = sends.find({sender->second, receiver->second});
  return found == sends.end() ? 0 : (found->second + steps / 2) / steps;
}

bool IsInterleaved(std::span<const PipelineStep> stages, std::int64_t micro_batches,
                   std::int64_t chunks) {
  const std::int64_t count = stages.front().stages;
  // Of as many micro-batches as stages all forwards come first, whatever the schedule.
  if (count < 2 || micro_batches <= count || micro_batches % count != 0) return false;
  return std::all_of(stages.begin(), stages.end(), [&](const PipelineStep& step) {
    const std::int64_t warm_up = 2 * (count - 1 - step.stage) + (chunks - 1) * count + 1;
    return ForwardsBeforeBackward(step) == std::min(warm_up, micro_batches * chunks);
  });
}

Schedule ScheduleOf(std::span<const PipelineStep> stages, const SendCounts& sends,
                    std::int64_t steps) {
  const std::int64_t forwards = CommonForwards(stages);
  const Schedule plain{.micro_batches = forwards};
  const std::int64_t around = SentAround(stages, sends, steps);
  if (around > 0 && around < forwards && forwards % (forwards - around) == 0)
    return {forwards - around, forwards / (forwards - around)};
  for (std::int64_t chunks = 2; chunks * 2 <= forwards; ++chunks) {
    if (forwards % chunks == 0 && IsInterleaved(stages, forwards / chunks, chunks))
      return {forwards / chunks, chunks};
  }
  return plain;
}

// A chunk is run for as many micro-batches as there are stages, then the next one.
void FindChunks(const Schedule& schedule, PipelineStep& step) {
  if (schedule.virtual_stages < 2) return;
  std::int64_t forwards = 0;
  std::int64_t backwards = 0;
  for (PipelineStep::Pass& pass : step.passes) {
    const std::int64_t number = pass.is_backward ? backwards++ : forwards++;
    const std::int64_t chunk = number / step.stages % schedule.virtual_stages;
    pass.chunk = pass.is_backward ? schedule.virtual_stages - 1 - chunk : chunk;
  }
}

Interval Extent(std::span<const PipelineStep> stages) {
  Interval extent{INT64_MAX, INT64_MIN};
  for (const PipelineStep& step : stages) {
    for (const PipelineStep::Pass& pass : step.passes) {
      extent.begin = std::min(extent.begin, pass.begin_ns);
      extent.end = std::max(extent.end, pass.end_ns);
    }
  }
  return extent;
}

// Whether the clocks of all stages are known to each other, well enough for their common window.
// Lanes of one trace have one clock.
bool AreAligned(std::span<const PipelineStep> stages, const AcrossFacts& facts) {
  const Interval window = Extent(stages);
  const std::int64_t length = SaturatingSubtract(window.end, window.begin);
  const auto first = facts.collectives().NumberOf(stages.front().rank);
  return std::all_of(stages.begin(), stages.end(), [&](const PipelineStep& step) {
    if (step.rank == stages.front().rank) return true;
    const auto rank = facts.collectives().NumberOf(step.rank);
    return first && rank && facts.clocks().AreAlignedFor(*first, *rank, length);
  });
}

// Divides the window of each stage of one replica and step.
void Divide(std::span<PipelineStep> stages, const AcrossFacts& facts) {
  const bool is_aligned = AreAligned(stages, facts);
  const Interval of_all = Extent(stages);
  std::set<std::int64_t> seen;
  for (const PipelineStep& step : stages) seen.insert(step.stage);
  for (PipelineStep& step : stages) {
    const Interval window = is_aligned ? of_all : Extent(std::span(&step, 1));
    std::vector<Interval> spans;
    spans.reserve(step.passes.size());
    std::int64_t compute = 0;
    for (const PipelineStep::Pass& pass : step.passes) {
      spans.push_back({pass.begin_ns, pass.end_ns});
      AddSaturating(compute, pass.compute_ns);
    }
    const IntervalSet busy = Normalise(std::move(spans));
    const std::int64_t passes_ns = Total(busy);
    step.is_aligned = is_aligned;
    step.stages_seen = static_cast<std::int64_t>(seen.size());
    step.begin_ns = window.begin;
    step.window_ns = SaturatingSubtract(window.end, window.begin);
    // Alignment stretches passes by the drift of the clock, kernels of passes that overlap count
    // once.
    step.compute_ns = std::min(compute, passes_ns);
    step.inside_ns = passes_ns - step.compute_ns;
    step.warm_up_ns =
        busy.empty() ? step.window_ns : SaturatingSubtract(busy.front().begin, window.begin);
    step.cool_down_ns = busy.empty() ? 0 : SaturatingSubtract(window.end, busy.back().end);
    step.steady_ns = step.window_ns - passes_ns - step.warm_up_ns - step.cool_down_ns;
  }
}

// Names of the process groups of pipelines that the rank belongs to.
std::set<std::string_view> PipelineGroupsOf(const AcrossFacts& facts, std::uint32_t rank) {
  std::set<std::string_view> names;
  const JobCollectives& all = facts.collectives();
  for (const RoleLayout& role : facts.layout().roles) {
    for (const std::uint32_t number : role.Of(Dimension::kPipeline).groups) {
      const JobGroup& group = all.groups()[number];
      if (std::find(group.ranks.begin(), group.ranks.end(), all.ranks()[rank].rank) !=
          group.ranks.end())
        names.insert(group.name);
    }
  }
  return names;
}

// The passes of one step of one stage, from a partial.
struct StepRows {
  std::int64_t lane = -1;
  std::int64_t step = kNoStep;
  bool complete = true;
  std::vector<PipelineStep::Pass> passes;
};

// Passes that were cut by sends of other groups than pipelines' are put together, where it is known
// which sends are a pipeline's, or some are of groups that the trace does not name.
std::vector<StepRows> RowsOfSteps(ViewOf<PassPartial> passes,
                                  const std::set<std::string_view>& pipelines) {
  const auto& columns = SchemaOf<PassPartial>();
  const auto is_of_pipeline = [&](std::size_t row) {
    return !passes.IsNull(row, columns.cut_by) &&
           pipelines.contains(passes.String(row, columns.cut_by));
  };
  bool is_known = false;
  for (std::size_t row = 0; row < passes.row_count(); ++row)
    is_known |= is_of_pipeline(row) || passes.Bool(row, columns.is_cut_by_others);
  std::map<std::tuple<std::int64_t, std::int64_t>, StepRows> steps;  // by lane and step
  for (std::size_t row = 0; row < passes.row_count(); ++row) {
    const std::int64_t lane = passes.Int(row, columns.lane);
    const std::int64_t number = passes.Known(row, columns.step).value_or(kNoStep);
    StepRows& step = steps[{lane, number}];
    step.lane = lane;
    step.step = number;
    step.complete = passes.Bool(row, columns.complete);
    const PipelineStep::Pass pass{.is_backward = passes.Bool(row, columns.is_backward),
                                  .begin_ns = passes.Int(row, columns.begin_ns),
                                  .end_ns = passes.Int(row, columns.end_ns),
                                  .compute_ns = passes.Int(row, columns.compute_ns)};
    const bool is_cut_inside =
        is_known && !passes.IsNull(row, columns.cut_by) && !is_of_pipeline(row);
    if (is_cut_inside && !step.passes.empty() &&
        step.passes.back().is_backward == pass.is_backward) {
      PipelineStep::Pass& whole = step.passes.back();
      whole.begin_ns = std::min(whole.begin_ns, pass.begin_ns);
      whole.end_ns = std::max(whole.end_ns, pass.end_ns);
      AddSaturating(whole.compute_ns, pass.compute_ns);
    } else {
      step.passes.push_back(pass);
    }
  }
  std::vector<StepRows> rows;
  rows.reserve(steps.size());
  for (auto& [key, step] : steps) rows.push_back(std::move(step));
  return rows;
}

}  // namespace

std::vector<PipelineStep> PipelineStepsOf(const PerCapture<TableOf<PassPartial>>& partials,
                                          const JobContext& job) {
  const AcrossFacts& facts = AcrossOf(job);
  std::map<std::pair<Replica, std::int64_t>, std::vector<PipelineStep>> found;  // and step
  std::int64_t capture = -1;
  for (const auto& [of, passes] : partials.values()) {
    ++capture;
    const auto rank = facts.collectives().NumberOf(of.first);
    std::vector<StepRows> steps =
        RowsOfSteps(passes, rank ? PipelineGroupsOf(facts, *rank) : std::set<std::string_view>());
    std::int64_t lanes = 0;
    for (const StepRows& rows : steps) lanes = std::max(lanes, rows.lane + 1);
    for (StepRows& rows : steps) {
      PipelinePlace place{.replica = {capture, 0, 0, 0}, .stage = rows.lane, .stages = lanes};
      if (rows.lane < 0) {
        const auto of_rank = rank ? PlaceOf(facts, *rank) : std::nullopt;
        if (!of_rank) continue;
        place = *of_rank;
        for (PipelineStep::Pass& pass : rows.passes) {
          pass.begin_ns = facts.Aligned(*rank, pass.begin_ns);
          pass.end_ns = facts.Aligned(*rank, pass.end_ns);
        }
      }
      PipelineStep step;
      step.rank = of.first;
      step.step = rows.step;
      step.complete = rows.complete;
      step.stage = place.stage;
      step.stages = place.stages;
      step.passes = std::move(rows.passes);
      found[{place.replica, step.step}].push_back(std::move(step));
    }
  }
  const SendCounts sends = CountSends(facts.collectives());
  std::map<Replica, std::int64_t> steps_of;
  for (const auto& [key, stages] : found) ++steps_of[key.first];
  std::vector<PipelineStep> all;
  for (auto& [key, stages] : found) {
    std::stable_sort(stages.begin(), stages.end(),
                     [](const PipelineStep& a, const PipelineStep& b) {
                       return std::tie(a.stage, a.rank) < std::tie(b.stage, b.rank);
                     });
    const auto replica = steps_of.find(key.first);
    const Schedule schedule = ScheduleOf(stages, sends, replica->second);
    Divide(stages, facts);
    for (PipelineStep& step : stages) {
      FindChunks(schedule, step);
      step.replica = std::distance(steps_of.begin(), replica);
      step.micro_batches = schedule.micro_batches;
      step.virtual_stages = schedule.virtual_stages;
      all.push_back(std::move(step));
    }
  }
  return all;
}

double PipelineStep::IdealBubble() const {
  const auto empty = static_cast<double>(stages - 1);
  return stages < 2 || micro_batches < 1
             ? 0
             : empty / (static_cast<double>(micro_batches * virtual_stages) + empty);
}

}  // namespace rankscope
