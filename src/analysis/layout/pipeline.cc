#include "analysis/layout/pipeline.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/across/across_fact.h"
#include "base/interval.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

constexpr std::int64_t kNoStep = CollectiveEvent::kNoStep;

using Replica = std::array<std::int64_t, 4>;  // the capture of lanes, or -1; tp, cp, dp

// Where a lane or rank stands: ranks with one replica have a pipeline in common.
struct Place {
  Replica replica{};
  std::int64_t stage = 0;
  std::int64_t stages = 0;
};

std::optional<Place> PlaceOf(const AcrossFacts& facts, std::uint32_t rank) {
  const RankPlace& place = facts.layout().places[rank];
  for (const RoleLayout& role : facts.layout().roles) {
    if (role.role != place.role) continue;
    const std::int64_t stages = role.Of(Dimension::kPipeline).degree;
    if (stages < 2 || place.Of(Dimension::kPipeline) < 0) return std::nullopt;
    return Place{.replica = {-1, place.Of(Dimension::kTensor), place.Of(Dimension::kContext),
                             place.Of(Dimension::kData)},
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

// Micro-batches of a step and chunks of layers per stage. Passes say how often a stage computes a
// forward; sends say it where passes were cut short by other sends (rings), and those from the last
// stage back to the first are of further chunks.
struct Schedule {
  std::int64_t micro_batches = 0;
  std::int64_t virtual_stages = 1;
};
Schedule ScheduleOf(std::span<const PipelineStep> stages, const SendCounts& sends,
                    std::int64_t steps) {
  std::int64_t forwards = 0;
  std::map<std::int64_t, std::int64_t> rank_at;
  for (const PipelineStep& step : stages) {
    rank_at.emplace(step.stage, step.rank);
    forwards = std::max<std::int64_t>(
        forwards, std::count_if(step.passes.begin(), step.passes.end(),
                                [](const PipelineStep::Pass& pass) { return !pass.is_backward; }));
  }
  const std::int64_t last = stages.front().stages - 1;
  const auto per_step = [&](std::int64_t from, std::int64_t to) -> std::int64_t {
    const auto sender = rank_at.find(from);
    const auto receiver = rank_at.find(to);
    if (sender == rank_at.end() || receiver == rank_at.end() || steps == 0) return 0;
    const auto found = sends.find({sender->second, receiver->second});
    return found == sends.end() ? 0 : (found->second + steps / 2) / steps;
  };
  const std::int64_t sent = per_step(0, 1);
  if (sent > 0 && forwards * 2 > sent * 3) forwards = sent;
  // With two stages both neighbours are the same rank.
  const std::int64_t around = last > 1 ? per_step(last, 0) : 0;
  Schedule schedule{.micro_batches = forwards};
  if (around > 0 && around < forwards && forwards % (forwards - around) == 0) {
    schedule.micro_batches = forwards - around;
    schedule.virtual_stages = forwards / schedule.micro_batches;
  }
  return schedule;
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

// Divides the window of each stage of one replica and step.
void Divide(std::span<PipelineStep> stages) {
  const bool is_aligned = std::all_of(stages.begin(), stages.end(),
                                      [](const PipelineStep& step) { return step.is_aligned; });
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

}  // namespace

std::vector<PipelineStep> PipelineStepsOf(const PerCapture<Table>& partials,
                                          const JobContext& job) {
  const auto& columns = SchemaOf<PassPartial>();
  const AcrossFacts& facts = AcrossOf(job);
  std::map<std::pair<Replica, std::int64_t>, std::vector<PipelineStep>> found;  // and step
  std::int64_t capture = -1;
  for (const auto& [of, passes] : partials.values()) {
    ++capture;
    const auto rank = facts.collectives().NumberOf(of.first);
    std::map<std::tuple<std::int64_t, std::int64_t>, PipelineStep> steps;  // lane and step
    for (std::size_t row = 0; row < passes.row_count(); ++row) {
      const std::int64_t lane = passes.Int(row, columns.lane);
      const std::int64_t number = passes.Known(row, columns.step).value_or(kNoStep);
      const auto [place, is_new] = steps.try_emplace({lane, number});
      PipelineStep& step = place->second;
      if (is_new) {
        step.rank = of.first;
        step.step = number;
        step.complete = passes.Bool(row, columns.complete);
        step.stage = lane;
        step.is_aligned = lane >= 0 || (rank && facts.clocks().clocks()[*rank].is_aligned());
      }
      const auto aligned = [&](std::int64_t t) {
        return lane < 0 && rank ? facts.Aligned(*rank, t) : t;
      };
      step.passes.push_back({.is_backward = passes.Bool(row, columns.is_backward),
                             .begin_ns = aligned(passes.Int(row, columns.begin_ns)),
                             .end_ns = aligned(passes.Int(row, columns.end_ns)),
                             .compute_ns = passes.Int(row, columns.compute_ns)});
    }
    std::int64_t lanes = 0;
    for (const auto& [key, step] : steps) lanes = std::max(lanes, std::get<0>(key) + 1);
    for (auto& [key, step] : steps) {
      Place place{.replica = {capture, 0, 0, 0}, .stage = step.stage, .stages = lanes};
      if (step.stage < 0) {
        const auto of_rank = rank ? PlaceOf(facts, *rank) : std::nullopt;
        if (!of_rank) continue;
        place = *of_rank;
        step.stage = place.stage;
      }
      step.stages = place.stages;
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
    Divide(stages);
    for (PipelineStep& step : stages) {
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
