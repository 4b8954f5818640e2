#include "insight/evidence/steps/step_parts.h"

#include <algorithm>

namespace rankscope {

StepParts::StepParts(const RuleInput& input)
    : ranks_(input.ranks()), launches_(input.graph().steps().size() * ranks_) {
  const JobGraph& graph = input.graph();
  const auto visit = [&](Phase phase, const auto& take) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const NodeKind& kind = graph.KindOf(node);
      const std::uint32_t step = graph.StepOf(node);
      if (kind.work != Work::kCompute || kind.phase != phase || step == kNoStep) continue;
      for (const NodeEdge edge : graph.EdgesOf(node)) {
        if (edge.kind == DependencyKind::kLaunch)
          take(launches_[step * ranks_ + input.RankOf(node)], input.now().EndOf(edge.from));
      }
    }
  };
  visit(Phase::kBackward, [](Launches& of, std::int64_t at) {
    of.first_backward = std::min(of.first_backward, at);
    of.last_backward = std::max(of.last_backward, at);
  });
  visit(Phase::kForward, [](Launches& of, std::int64_t at) {
    if (at < of.first_backward) of.last_forward = std::max(of.last_forward, at);
  });
}

bool StepParts::IsBeforeBackward(const RuleInput& input, NodeId node) const {
  const Launches& of = Of(input.RankOf(node), input.graph().StepOf(node));
  return of.last_forward != INT64_MIN && of.first_backward != INT64_MAX &&
         input.now().BeginOf(node) >= of.last_forward &&
         input.now().EndOf(node) <= of.first_backward;
}

bool StepParts::IsBehindBackward(const RuleInput& input, NodeId node) const {
  const Launches& of = Of(input.RankOf(node), input.graph().StepOf(node));
  return of.last_backward != INT64_MIN && input.now().BeginOf(node) >= of.last_backward;
}

}  // namespace rankscope
