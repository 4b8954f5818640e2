// outlier-step: a step is another work than the others.
//
// What its ranks do at each place of the step's program is compared with what the same rank does
// there in the other steps: what only this step has would not be.
#include <fmt/core.h>

#include <algorithm>

#include "base/median.h"
#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

constexpr std::size_t kEnoughSteps = 3;
constexpr std::size_t kMostOutliers = 4;  // each costs a replay
constexpr double kTimesSpread = 3;

struct Outlier {
  std::size_t step = 0;
  std::int64_t beyond_ns = 0;
};

// The longest steps beyond the median by more than steps scatter, and by kLowGain of all of them.
std::vector<Outlier> OutliersOf(const RuleInput& input) {
  std::vector<std::int64_t> times;
  for (const std::size_t step : input.counted()) times.push_back(input.now().StepTime(step));
  if (times.size() < kEnoughSteps) return {};
  std::vector<std::int64_t> scratch = times;
  const std::int64_t usual = MedianOf(scratch);
  for (std::int64_t& time : scratch) time = std::abs(time - usual);
  const auto spread = static_cast<double>(MedianOf(scratch));
  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t beyond = times[i] - usual;
    if (input.ShareOfSteps(beyond) >= kLowGain &&
        static_cast<double>(beyond) > kTimesSpread * spread)
      outliers.push_back({input.counted()[i], beyond});
  }
  // Most steps are not unusual.
  if (2 * outliers.size() >= times.size()) return {};
  std::stable_sort(outliers.begin(), outliers.end(),
                   [](const Outlier& a, const Outlier& b) { return a.beyond_ns > b.beyond_ns; });
  if (outliers.size() > kMostOutliers) outliers.resize(kMostOutliers);
  return outliers;
}

class OneStep {
 public:
  OneStep(const RuleInput& input, const std::vector<Outlier>& outliers, std::size_t step)
      : input_(input), step_(step), is_outlier_(input.graph().steps().size(), false) {
    for (const Outlier& one : outliers) is_outlier_[one.step] = true;
    for (const std::size_t counted : input.counted()) others_ += is_outlier_[counted] ? 0 : 1;
  }

  // None where nothing that was recorded takes longer.
  std::optional<Cause> ToCause(std::int64_t beyond_ns) {
    Scenario without = input_.recorded();
    std::vector<NodeId> nodes;
    std::vector<std::int64_t> times, of_rank(input_.ranks(), 0);
    const JobGraph& graph = input_.graph();
    for (std::uint32_t place = 0; place < input_.places().place_count(); ++place) {
      const std::span<const NodeId> alike = input_.places().NodesOf(place);
      const bool is_transfer = graph.KindOf(alike.front()).work == Work::kCommunication;
      for (const NodeId node : alike) {
        if (graph.StepOf(node) != step_) continue;
        // Without its partners, how much of it is waiting is not known.
        if (is_transfer && graph.nodes()[node].rendezvous == kNoRendezvous) continue;
        const std::int64_t usual = UsualOf(alike, input_.RankOf(node));
        const std::int64_t more = graph.nodes()[node].duration_ns - usual;
        if (more <= 0) continue;
        without.SetDuration(node, usual);
        nodes.push_back(node);
        times.push_back(more);
        of_rank[input_.RankOf(node)] += more;
      }
    }
    if (nodes.empty()) return std::nullopt;
    const std::int64_t most = *std::max_element(of_rank.begin(), of_rank.end());
    Cause cause;
    cause.ranks = RanksThat(
        input_, [&](std::uint32_t rank) { return most > 0 && 2 * of_rank[rank] >= most; });
    cause.steps = {static_cast<std::uint32_t>(step_)};
    TellWhere(input_, nodes, times, cause);
    cause.without = std::move(without);
    cause.lost_ns = beyond_ns / static_cast<std::int64_t>(input_.counted().size());
    const std::string where = cause.places.empty() ? "" : cause.places.front().op;
    cause.what = fmt::format("step {} takes {} longer than the others{}",
                             graph.steps()[step_].number, TimeText(static_cast<double>(beyond_ns)),
                             where.empty() ? "" : fmt::format(", above all in {}", where));
    return cause;
  }

 private:
  // What the rank takes at the place in the other steps.
  std::int64_t UsualOf(std::span<const NodeId> alike, std::uint32_t rank) {
    durations_.clear();
    for (const NodeId node : alike) {
      const std::uint32_t step = input_.graph().StepOf(node);
      if (input_.RankOf(node) == rank && input_.Counts(node) && !is_outlier_[step])
        durations_.push_back(input_.graph().nodes()[node].duration_ns);
    }
    durations_.resize(std::max(durations_.size(), others_), 0);
    return MedianOf(durations_);
  }

  const RuleInput& input_;
  std::size_t step_;
  std::vector<bool> is_outlier_;  // by step
  std::size_t others_ = 0;        // counted steps that are not
  std::vector<std::int64_t> durations_;
};

std::vector<Cause> FindAll(const RuleInput& input) {
  const std::vector<Outlier> outliers = OutliersOf(input);
  std::vector<Cause> causes;
  for (const Outlier& one : outliers) {
    if (auto cause = OneStep(input, outliers, one.step).ToCause(one.beyond_ns))
      causes.push_back(*std::move(cause));
  }
  return causes;
}

}  // namespace

const Rule& OutlierStepRule() {
  static const Rule kRule{
      .id = "outlier-step",
      .summary = "one step is another work than the others",
      .tier = Tier::kBeyondSteps,
      .takes = Takes::kOutlier,
      .find_all = FindAll,
      .why =
          "steps compared with the median of all; what each rank does in it, place by place, with "
          "what "
          "the same rank does there in the other steps, and replayed so",
      .recommendation =
          "See what runs in that step alone (evaluation, logging, a checkpoint, workers that start "
          "anew) and do it less often, asynchronously, or outside of the training loop.",
      .command = "rankscope table step_work TRACES",
  };
  return kRule;
}

}  // namespace rankscope
