#include "insight/evidence/host_work/needed_waits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/copies/copy_direction.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/host_stretches.h"

namespace rankscope {
namespace {

bool IsCopyToHost(const NodeKind& kind) {
  return kind.work == Work::kCopy && DirectionOf(kind.name).direction == "DtoH";
}

// Whether the last work of a stream brings data to the host, or the one before it does.
bool BringsData(const JobGraph& graph, NodeId last) {
  const NodeId before = graph.nodes().PreviousOf(last);
  return IsCopyToHost(graph.KindOf(last)) ||
         (before != kNoNode && IsCopyToHost(graph.KindOf(before)));
}

bool WaitsForData(const JobGraph& graph, NodeId node) {
  const auto edges = graph.EdgesOf(node);
  return std::any_of(edges.begin(), edges.end(), [&](const NodeEdge& edge) {
    return edge.kind == DependencyKind::kSync && BringsData(graph, edge.from);
  });
}

bool Waits(const JobGraph& graph, NodeId node) {
  const auto edges = graph.EdgesOf(node);
  return std::any_of(edges.begin(), edges.end(),
                     [](const NodeEdge& edge) { return edge.kind == DependencyKind::kSync; });
}

}  // namespace

NeededWaits::NeededWaits(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::size_t count = graph.nodes().size();
  const auto& stretches = input.Shared<HostStretches>();
  std::vector<NodeId> following(count, kNoNode);
  std::vector<bool> launches(count, false);
  for (NodeId node = 0; node < count; ++node) {
    if (IsDevice(graph.KindOf(node).work)) {
      for (const NodeEdge& edge : graph.EdgesOf(node)) {
        if (edge.kind == DependencyKind::kLaunch) launches[edge.from] = true;
      }
    } else if (const NodeId before = graph.nodes().PreviousOf(node); before != kNoNode) {
      following[before] = node;
    }
  }
  const auto works = [&](NodeId node) { return stretches.Has(node) && !stretches.Waits(node); };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> by_step;  // rank, step
  const auto least = std::max(static_cast<double>(kLongRunNs), kLowGain * input.step_ns());
  for (NodeId node = 0; node < count; ++node) {
    if (graph.StepOf(node) == kNoStep || !WaitsForData(graph, node)) continue;
    double worked = 0;
    for (NodeId at = node; at != kNoNode && graph.StepOf(at) == graph.StepOf(node);
         at = following[at]) {
      if (at != node && Waits(graph, at)) break;
      if (works(at)) worked += static_cast<double>(graph.nodes().DurationOf(at));
      if (launches[at]) break;
    }
    if (worked >= least) by_step[{input.RankOf(node), graph.StepOf(node)}].push_back(node);
  }
  for (const auto& [where, waits] : by_step) {
    if (waits.size() == 1) nodes_.push_back(waits.front());
  }
  std::ranges::sort(nodes_);
}

bool NeededWaits::Has(NodeId waiting) const {
  return std::binary_search(nodes_.begin(), nodes_.end(), waiting);
}

}  // namespace rankscope
