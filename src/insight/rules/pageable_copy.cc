// pageable-copy: copies from or to memory that is not pinned block the host.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  std::vector<bool> is_pageable(graph.nodes().size(), false);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work != Work::kCopy || kind.name.find("HtoD") == std::string::npos ||
        kind.name.find("Pageable") == std::string::npos || graph.StepOf(node) == kNoStep)
      continue;
    is_pageable[node] = true;
    without.SetDuration(node, 0);  // on a stream of its own, a step ahead
    if (!input.Counts(node)) continue;
    ranks.insert(input.RankOf(node));
    nodes.push_back(node);
    lost += graph.nodes()[node].duration_ns;
  }
  if (nodes.empty()) return;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync && is_pageable[edges[i].from])
        without.Cut(graph.nodes()[node].first_edge + i);
    }
  }
  Cause cause;
  cause.id = "pageable-copy";
  cause.tier = Tier::kProgram;
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const double rank_steps = static_cast<double>(ranks.size() * input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / rank_steps);
  cause.what =
      fmt::format("{:.0f} copies a step come from pageable memory and block the host, {} in all",
                  static_cast<double>(nodes.size()) / rank_steps,
                  TimeText(static_cast<double>(lost) / rank_steps));
  cause.why =
      "Memcpy HtoD (Pageable -> Device): the driver stages such a copy, and the call returns when "
      "it is over";
  cause.recommendation =
      "DataLoader(..., pin_memory=True) and batch.to(device, non_blocking=True).";
  cause.command = "rankscope table copies TRACES";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& PageableCopyRule() {
  static const Rule kRule{.ids = {"pageable-copy"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
