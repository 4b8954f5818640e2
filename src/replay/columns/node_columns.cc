#include "replay/columns/node_columns.h"

#include <algorithm>

namespace rankscope {

void NodeColumns::PushBack(const Node& node) {
  Resize(size() + 1);
  Set(static_cast<NodeId>(size() - 1), node);
}

void NodeColumns::Set(NodeId node, const Node& of) {
  duration_.Set(node, of.duration_ns);
  gap_.Set(node, of.gap_ns);
  const std::uint32_t back = of.previous == kNoNode ? 0 : node - of.previous;
  if (back >= kFar) far_previous_[node] = of.previous;
  back_to_previous_.Set(node, std::min(back, kFar));
  first_edge_[node] = of.first_edge;
  kind_.Set(node, of.kind);
  SetRendezvous(node, of.rendezvous);
}

void NodeColumns::Resize(std::size_t nodes) {
  duration_.Resize(nodes);
  gap_.Resize(nodes);
  back_to_previous_.Resize(nodes);
  first_edge_.resize(nodes, 0);
  kind_.Resize(nodes);
  meeting_.Resize(nodes);
}

void NodeColumns::Reserve(std::size_t nodes) {
  duration_.Reserve(nodes);
  gap_.Reserve(nodes);
  back_to_previous_.Reserve(nodes);
  first_edge_.reserve(nodes);
  kind_.Reserve(nodes);
  meeting_.Reserve(nodes);
}

}  // namespace rankscope
