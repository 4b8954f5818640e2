#include "insight/evidence/kernels/kernels_in_turn.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/loss/ranks_in_turn.h"

namespace rankscope {
namespace {

constexpr std::size_t kLeastPeers = 3;  // of two, nobody knows which one is out of line
constexpr double kLeastOfStep = 0.03;
constexpr double kLongerInTurn = 1.1;  // than the middle rank: less is scatter

// What devices compute in each step, by rank.
struct ComputeOfSteps {
  explicit ComputeOfSteps(const RuleInput& input) : ranks(input.ranks()) {
    ns.assign(input.graph().steps().size() * ranks, 0);
    const auto& preempted = input.Shared<Preempted>();
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      if (kind.work == Work::kCompute && !preempted.Has(node))
        ns[input.graph().StepOf(node) * ranks + input.RankOf(node)] +=
            input.graph().nodes().DurationOf(node);
    });
  }

  // By how much the slowest of these ranks exceeds the middle one, over all steps.
  std::int64_t Beyond(const std::vector<std::uint32_t>& peers) const {
    std::int64_t sum = 0;
    std::vector<std::int64_t> of_step;
    for (std::size_t first = 0; first < ns.size(); first += ranks) {
      of_step.clear();
      for (const std::uint32_t rank : peers) of_step.push_back(ns[first + rank]);
      std::sort(of_step.begin(), of_step.end());
      sum += of_step.back() - of_step[(of_step.size() - 1) / 2];
    }
    return sum;
  }

  std::size_t ranks;
  std::vector<std::int64_t> ns;  // by step and rank
};

bool MayBe(const RuleInput& input) {
  const ComputeOfSteps compute(input);
  const double least = kLeastOfStep * input.step_ns() * static_cast<double>(input.counted().size());
  return std::ranges::any_of(input.peers().of, [&](const std::vector<std::uint32_t>& peers) {
    return peers.size() >= kLeastPeers && static_cast<double>(compute.Beyond(peers)) >= least;
  });
}

class InTurn {
 public:
  explicit InTurn(const RuleInput& input) : input_(input), without_(input.recorded()) {}

  // Of one place and work.
  void Add(std::span<const NodeId> alike) {
    const JobGraph& graph = input_.graph();
    if (graph.KindOf(alike.front()).work != Work::kCompute) return;
    by_step_.assign(alike.begin(), alike.end());
    std::ranges::stable_sort(by_step_, {}, [&](NodeId node) { return graph.StepOf(node); });
    for (std::size_t first = 0; first < by_step_.size();) {
      std::size_t last = first;
      while (last < by_step_.size() &&
             graph.StepOf(by_step_[last]) == graph.StepOf(by_step_[first]))
        ++last;
      AddStep(std::span(by_step_).subspan(first, last - first));
      first = last;
    }
  }

  std::optional<Cause> ToCause() && {
    Cause cause;
    cause.ranks = RanksThat(input_, [&](std::uint32_t rank) { return has_some_[rank]; });
    const std::string who = in_turn_.Who(input_, cause.ranks.size());
    if (who.empty()) return std::nullopt;
    TellWhere(input_, nodes_, times_, cause);
    cause.lost_ns = in_turn_.MostOfSteps() / static_cast<std::int64_t>(input_.counted().size());
    cause.without = std::move(without_);
    cause.what = fmt::format(
        "the same kernels take longer on {} than on the others, {} a step: what they work on "
        "differs in what no shape tells, or something else runs on the device",
        who, TimeText(static_cast<double>(*cause.lost_ns)));
    return cause;
  }

 private:
  void AddStep(std::span<const NodeId> nodes) {
    if (nodes.size() < kLeastPeers) return;
    const auto& all = input_.graph().nodes();
    durations_.clear();
    for (const NodeId node : nodes) durations_.push_back(all.DurationOf(node));
    std::ranges::sort(durations_);
    const std::int64_t usual = durations_[(durations_.size() - 1) / 2];
    for (const NodeId node : nodes) {
      const std::int64_t beyond = all.DurationOf(node) - usual;
      if (static_cast<double>(all.DurationOf(node)) <= kLongerInTurn * static_cast<double>(usual) ||
          input_.Shared<Preempted>().Has(node))
        continue;
      without_.SetDuration(node, usual);
      if (!input_.Counts(node)) continue;
      in_turn_.Add(input_, node, beyond);
      has_some_[input_.RankOf(node)] = true;
      nodes_.push_back(node);
      times_.push_back(beyond);
    }
  }

  const RuleInput& input_;
  Scenario without_;
  RanksInTurn in_turn_;
  std::vector<bool> has_some_ = std::vector<bool>(input_.ranks(), false);  // by rank
  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> times_;  // of these, beyond
  std::vector<NodeId> by_step_;
  std::vector<std::int64_t> durations_;
};

}  // namespace

std::optional<Cause> CauseOfKernelsInTurn(const RuleInput& input) {
  if (!input.graph().is_aligned() || input.counted().size() < 3 || !MayBe(input))
    return std::nullopt;
  InTurn in_turn(input);
  for (std::uint32_t work = 0; work < input.places().work_count(); ++work)
    in_turn.Add(input.places().NodesOfWork(work));
  return std::move(in_turn).ToCause();
}

}  // namespace rankscope
