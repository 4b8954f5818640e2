// Slots: where a pass keeps the end of a node until the last node that waits for it has begun.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/spilled_pages.h"
#include "replay/columns/narrow_column.h"
#include "replay/job_graph/job_graph.h"

namespace rankscope {

// Goes through the order as passes do: what a node waits for is read when it begins, its own end is
// written behind that, and members of a rendezvous begin together before the first of them ends.
void JobGraph::AssignSlots() {
  NarrowColumn waiting;  // nodes for each node's end
  waiting.Resize(nodes_.size());
  const auto for_each_before = [&](NodeId node, const auto& visit) {
    if (nodes_.PreviousOf(node) != kNoNode) visit(nodes_.PreviousOf(node));
    for (const NodeEdge edge : EdgesOf(node)) visit(edge.from);
  };
  for (NodeId node = 0; node < nodes_.size(); ++node)
    for_each_before(node, [&](NodeId before) { waiting.Set(before, waiting[before] + 1); });
  slot_.Resize(nodes_.size());
  std::vector<std::uint32_t> free;
  slot_count_ = kSharedSlot + 1;
  std::size_t look = 0;
  for (std::size_t i = 0; i < order_.size();) {
    if (++look % 256 == 0) KeepSpilledSmall();
    const std::uint32_t rendezvous = nodes_.RendezvousOf(order_[i]);
    const std::size_t count = rendezvous == kNoRendezvous ? 1 : meetings_[rendezvous].count;
    const auto group = std::span(order_).subspan(i, count);
    for (const NodeId node : group) {
      for_each_before(node, [&](NodeId before) {
        waiting.Set(before, waiting[before] - 1);
        if (waiting[before] == 0) free.push_back(slot_[before]);
      });
    }
    for (const NodeId node : group) {
      if (waiting[node] == 0) {
        slot_.Set(node, kSharedSlot);
        continue;
      }
      if (free.empty()) free.push_back(slot_count_++);
      slot_.Set(node, free.back());
      free.pop_back();
    }
    i += count;
  }
}

}  // namespace rankscope
