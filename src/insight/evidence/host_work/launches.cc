#include "insight/evidence/host_work/launches.h"

namespace rankscope {
namespace {

// By node: the one behind it on its host thread.
std::vector<NodeId> FollowingOnHosts(const JobGraph& graph) {
  std::vector<NodeId> following(graph.nodes().size(), kNoNode);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeId before = graph.nodes()[node].previous;
    if (before != kNoNode && !IsDevice(graph.KindOf(node).work)) following[before] = node;
  }
  return following;
}

}  // namespace

// A launch's edge begins where the host's work before its call ends.
LaunchesOfWork::LaunchesOfWork(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::vector<NodeId> following = FollowingOnHosts(graph);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const Work work = graph.KindOf(node).work;
    if ((work != Work::kCompute && work != Work::kCommunication) || graph.StepOf(node) == kNoStep)
      continue;
    for (const NodeEdge& edge : graph.EdgesOf(node)) {
      const NodeId call = edge.kind == DependencyKind::kLaunch ? following[edge.from] : kNoNode;
      if (call != kNoNode && graph.KindOf(call).work == Work::kLaunchCall)
        all.push_back({call, node});
    }
  }
}

}  // namespace rankscope
