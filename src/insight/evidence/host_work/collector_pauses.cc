// The collector's frames tell it. Where stacks were recorded and none stands for a stall, nothing
// else ran, and the collector is what stops Python so: at some steps, on some ranks. Where none
// were recorded, a stall may be anything, and is told as what it is (rank-host-work, outlier-step).
#include "insight/evidence/host_work/collector_pauses.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/stretch_names.h"

namespace rankscope {
namespace {

struct Pause {
  NodeId node;
  std::int64_t like_ns;
};

// Stretches without a frame, an op or a name, far longer than their like.
std::vector<Pause> NamelessPauses(const RuleInput& input) {
  std::vector<Pause> pauses;
  const JobGraph& graph = input.graph();
  const auto& names = input.Shared<StretchNames>();
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const std::int64_t usual = input.alike().DurationOf(node);
    if (kind.work != Work::kPython || usual == Typical::kUnknown || !names.Of(node).empty()) return;
    const std::int64_t now = graph.nodes()[node].duration_ns;
    const std::int64_t like = std::max<std::int64_t>(usual, 0);
    const auto beyond = static_cast<double>(now - like);
    if (beyond >= kLeastPauseNs && beyond >= kPauseOfStep * input.step_ns() && now >= 3 * like)
      pauses.push_back({node, like});
  });
  return pauses;
}

// Not in every step, and not at one place of one step on all ranks: that is the program.
bool AreAtRandom(const RuleInput& input, const std::vector<Pause>& pauses) {
  std::set<std::uint32_t> steps;
  std::set<std::tuple<std::uint32_t, std::uint32_t>> at;  // place, step
  std::set<std::uint32_t> ranks;
  for (const Pause& pause : pauses) {
    if (!input.Counts(pause.node)) continue;
    steps.insert(input.graph().StepOf(pause.node));
    at.emplace(input.places().PlaceOf(pause.node), input.graph().StepOf(pause.node));
    ranks.insert(input.RankOf(pause.node));
  }
  const bool on_all_at_once = input.ranks() > 1 && ranks.size() == input.ranks() && at.size() == 1;
  return 2 * steps.size() <= input.counted().size() && !on_all_at_once;
}

}  // namespace

CollectorPauses::CollectorPauses(const RuleInput& input) {
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kGarbage) stalls_.Add(node, 0);
  });
  if (input.graph().HasFrames()) {
    const std::vector<Pause> nameless = NamelessPauses(input);
    if (AreAtRandom(input, nameless)) {
      for (const Pause& pause : nameless) stalls_.Add(pause.node, pause.like_ns);
    }
  }
  if (stalls_.nodes.empty()) return;
  has_.assign(input.graph().nodes().size(), false);
  for (const NodeId node : stalls_.nodes) has_[node] = true;
}

}  // namespace rankscope
