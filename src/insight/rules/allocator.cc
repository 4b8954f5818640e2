// allocator-thrash and memory-pressure: memory is asked from the driver in steady state.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (graph.StepOf(node) == kNoStep || IsDevice(kind.work)) continue;
    const NodeId before = graph.nodes()[node].previous;
    const bool is_call = kind.work == Work::kAllocator;
    const bool is_behind = before != kNoNode && graph.KindOf(before).work == Work::kAllocator;
    if (!is_call && !is_behind) continue;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind != DependencyKind::kSync) continue;
      without.Cut(graph.nodes()[node].first_edge + i);
      if (input.Counts(node) && before != kNoNode)
        lost += std::max<std::int64_t>(0, input.now().BeginOf(node) - input.now().EndOf(before));
    }
    if (!is_call) continue;
    without.SetDuration(node, 0);
    if (!input.Counts(node)) continue;
    lost += graph.nodes()[node].duration_ns;
    ranks.insert(input.RankOf(node));
    nodes.push_back(node);
  }
  if (nodes.empty()) return;
  Cause cause;
  cause.id = "allocator-thrash";
  cause.tier = Tier::kProgram;
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const double rank_steps = static_cast<double>(ranks.size() * input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / rank_steps);
  cause.what =
      fmt::format("memory is asked from the driver and given back {:.0f} times a step, {} in all",
                  static_cast<double>(nodes.size()) / rank_steps,
                  TimeText(static_cast<double>(lost) / rank_steps));
  cause.why =
      "calls that allocate and free device or pinned memory inside steps, and what they wait for";
  cause.recommendation =
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; keep shapes fixed or pad them to a few "
      "sizes; do not call torch.cuda.empty_cache() in the loop.";
  cause.command = "rankscope table allocator_calls TRACES";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& AllocatorRule() {
  static const Rule kRule{
      .ids = {"allocator-thrash", "memory-pressure"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
