#include "replay/node_columns.h"

namespace rankscope {

void NodeColumns::PushBack(const Node& node) {
  Resize(size() + 1);
  Set(static_cast<NodeId>(size() - 1), node);
}

void NodeColumns::Set(NodeId node, const Node& of) {
  duration_.Set(node, of.duration_ns);
  gap_.Set(node, of.gap_ns);
  previous_[node] = of.previous;
  first_edge_[node] = of.first_edge;
  kind_.Set(node, of.kind);
  SetRendezvous(node, of.rendezvous);
}

void NodeColumns::Resize(std::size_t nodes) {
  duration_.Resize(nodes);
  gap_.Resize(nodes);
  previous_.resize(nodes, kNoNode);
  first_edge_.resize(nodes, 0);
  kind_.Resize(nodes);
  meeting_.Resize(nodes);
}

}  // namespace rankscope
