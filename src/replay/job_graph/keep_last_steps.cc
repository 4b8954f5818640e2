// A job that is too large for a graph keeps its last steps.
#include "replay/job_graph/job_graph_builder.h"

namespace rankscope {

void JobGraph::Builder::KeepLastSteps(NodeId first) {
  std::size_t all = 0;
  for (NodeId node = first; node < graph_.nodes_.size(); ++node)
    ++nodes_of_step_[KeyOf(graph_.StepOf(node))];
  for (const auto& [key, count] : nodes_of_step_) all += IsKept(key) ? count : 0;
  const bool were_some_left_out = last_left_out_.has_value();
  bool are_more = false;
  for (const auto& [key, count] : nodes_of_step_) {
    if (all <= limits_.most_nodes) break;
    if (!IsKept(key)) continue;
    all -= count;
    last_left_out_ = key;
    are_more = true;
  }
  if (are_more) {
    LeaveOut(0);
  } else if (were_some_left_out) {
    LeaveOut(first);
  }
}

void JobGraph::Builder::LeaveOut(NodeId first) {
  std::vector<NodeId> number(graph_.nodes_.size() - first, kNoNode);
  const auto now = [&](NodeId node) {
    return node == kNoNode || node < first ? node : number[node - first];
  };
  NodeId kept = first;
  NodeColumns& nodes = graph_.nodes_;
  std::uint32_t edges = first < nodes.size() ? nodes.FirstEdgeOf(first) : 0;
  for (NodeId node = first; node < nodes.size(); ++node) {
    if (!IsKept(KeyOf(graph_.StepOf(node)))) continue;
    const EdgesView of_node = graph_.EdgesOf(node);
    Node moved = nodes[node];
    moved.previous = now(moved.previous);
    moved.first_edge = edges;
    for (NodeEdge edge : of_node) {
      edge.from = now(edge.from);
      if (edge.from != kNoNode) nodes.edges().Set(edges++, edge);
    }
    number[node - first] = kept;
    nodes.Set(kept, moved);
    graph_.step_.Set(kept, graph_.step_[node]);
    graph_.place_.Set(kept, graph_.place_[node]);
    graph_.event_[kept] = graph_.event_[node];
    graph_.flags_[kept] = graph_.flags_[node];
    if (!graph_.site_.empty()) graph_.site_[kept] = graph_.site_[node];
    begin_[kept] = begin_[node];
    ++kept;
  }
  if (kept < nodes.size()) nodes.edges().Resize(edges);
  nodes.Resize(kept);
  graph_.step_.Resize(kept);
  graph_.place_.Resize(kept);
  graph_.event_.resize(kept);
  graph_.flags_.resize(kept);
  if (!graph_.site_.empty()) graph_.site_.resize(kept);
  begin_.resize(kept);
  NodeId last = 0;
  for (CaptureNodes& capture : graph_.captures_) {
    NodeId count = 0;
    for (const NodeId node : capture.nodes()) count += now(node) != kNoNode;
    capture.ranges = {{last, last + count}};
    last += count;
  }
  boost::unordered::erase_if(communication_,
                             [&](auto& entry) { return now(entry.second) == kNoNode; });
  for (auto& [event, node] : communication_) node = now(node);
}

}  // namespace rankscope
