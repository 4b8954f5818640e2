#include "insight/evidence/communication/compute_of_steps.h"

#include <algorithm>

namespace rankscope {

ComputeOfSteps::ComputeOfSteps(const RuleInput& input,
                               const std::vector<HideableOfStep>& hideable) {
  const JobGraph& graph = input.graph();
  std::vector<bool> is_wanted(input.ranks(), false);
  for (const HideableOfStep& of_step : hideable)
    is_wanted[of_step.exchanges.front()->ranks.front()] = true;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work != Work::kCompute || kind.phase == Phase::kOptimizer) continue;
    const std::uint32_t rank = input.RankOf(node);
    if (!is_wanted[rank]) continue;
    steps_[{rank, graph.StepOf(node)}].push_back(
        {input.now().BeginOf(node), graph.nodes().DurationOf(node),
         kind.again == Again::kForward ? Phase::kBackward : kind.phase});
  }
  for (auto& [where, computed] : steps_) std::ranges::sort(computed, {}, &Computed::begin_ns);
}

std::int64_t ComputeOfSteps::Between(const Exchange& of, std::int64_t from, std::int64_t to) const {
  const std::vector<Computed>& computed = Of(of);
  std::int64_t sum = 0;
  for (auto one = std::ranges::lower_bound(computed, from, {}, &Computed::begin_ns);
       one != computed.end() && one->begin_ns < to; ++one)
    sum += one->ns;
  return sum;
}

std::int64_t ComputeOfSteps::Forward(const Exchange& of) const {
  constexpr std::int64_t kPartOfAll = 3;
  std::int64_t forward = 0, all = 0;
  for (const Computed& one : Of(of)) {
    all += one.ns;
    forward += one.phase == Phase::kForward ? one.ns : 0;
  }
  return forward < all ? forward : all / kPartOfAll;
}

std::int64_t ComputeOfSteps::BackwardBefore(const Exchange& of, std::int64_t begin_ns) const {
  std::int64_t backward = 0, all = 0;
  bool has_backward = false;
  for (const Computed& one : Of(of)) {
    all += one.ns;
    if (one.phase == Phase::kBackward) {
      backward += one.ns;
      has_backward = true;
    }
    if (one.phase == Phase::kForward && one.begin_ns < begin_ns) backward = 0;
  }
  return has_backward ? backward : all;
}

const std::vector<ComputeOfSteps::Computed>& ComputeOfSteps::Of(const Exchange& of) const {
  static const std::vector<Computed> kNothing;
  const auto found = steps_.find({of.ranks.front(), of.step});
  return found == steps_.end() ? kNothing : found->second;
}

}  // namespace rankscope
