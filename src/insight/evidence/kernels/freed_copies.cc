#include "insight/evidence/kernels/freed_copies.h"

#include <algorithm>
#include <map>

#include "base/saturating.h"
#include "base/text.h"
#include "insight/base/thresholds.h"

namespace rankscope {

bool IsFromPageable(const NodeKind& kind) {
  return kind.work == Work::kCopy && Contains(kind.name, "HtoD") && Contains(kind.name, "Pageable");
}

bool IsToPageable(const JobGraph& graph, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  return kind.work == Work::kCopy && Contains(kind.name, "DtoH") &&
         Contains(kind.name, "Pageable") &&
         static_cast<double>(graph.nodes()[node].duration_ns) >= kLongCopyNs;
}

FreedCopies::FreedCopies(const RuleInput& input, const Selection& copies)
    : input_(input), without_(input.recorded()) {
  const JobGraph& graph = input.graph();
  std::map<NodeId, NodeId> copy_of;  // of the node before the call
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (copies.Has(node)) without_.SetDuration(node, 0);
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (copies.Has(node) && edges[i].kind == DependencyKind::kLaunch)
        copy_of.emplace(edges[i].from, node);
      if (edges[i].kind == DependencyKind::kSync && copies.Has(edges[i].from))
        CutWait(node, graph.nodes()[node].first_edge + i);
    }
  }
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto found = copy_of.find(graph.nodes()[node].previous);
    if (found != copy_of.end()) CutCall(node, found->second);
  }
}

void FreedCopies::CutWait(NodeId waiting, std::size_t edge) {
  without_.Cut(edge);
  const NodeId before = input_.graph().nodes()[waiting].previous;
  if (before == kNoNode || !input_.Counts(waiting)) return;
  const NodeEdge wait = input_.graph().edge(edge);
  const std::int64_t over = SaturatingAdd(input_.now().EndOf(wait.from), wait.lag_ns);
  waited_ns_ += std::max<std::int64_t>(0, over - input_.now().EndOf(before));
}

// The call returns when all is staged, shortly before the copy is over: then no wait is recorded,
// and the call is as long as the copy.
void FreedCopies::CutCall(NodeId call, NodeId copy) {
  const Work work = input_.graph().KindOf(call).work;
  if (work != Work::kLaunchCall && work != Work::kOtherCall) return;
  const Replay& now = input_.now();
  const std::int64_t beside =
      std::min(now.EndOf(call), now.EndOf(copy)) - std::max(now.BeginOf(call), now.BeginOf(copy));
  if (beside <= 0) return;
  without_.SetDuration(call, input_.graph().nodes()[call].duration_ns - beside);
  if (input_.Counts(call)) waited_ns_ += beside;
}

}  // namespace rankscope
