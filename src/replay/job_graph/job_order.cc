// In which order a job's nodes can be replayed.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "replay/columns/narrow_column.h"
#include "replay/job_graph/job_graph.h"

namespace rankscope {

// Kahn's algorithm, where a rendezvous is done when all of its members may begin. Times that
// contradict the matches could leave a ring: the rendezvous in it that began first is dissolved.
void JobGraph::Order(std::span<const std::int64_t> begin) {
  const auto count = static_cast<NodeId>(nodes_.size());
  std::vector<std::uint32_t> first_successor(count + 1, 0);
  NarrowColumn pending;  // how many it waits for that are not done
  pending.Resize(count);
  const auto for_each_before = [&](NodeId node, const auto& visit) {
    if (nodes_.PreviousOf(node) != kNoNode) visit(nodes_.PreviousOf(node));
    for (const NodeEdge edge : EdgesOf(node)) visit(edge.from);
  };
  for (NodeId node = 0; node < count; ++node) {
    std::uint32_t waits_for = 0;
    for_each_before(node, [&](NodeId before) {
      ++first_successor[before];
      ++waits_for;
    });
    pending.Set(node, waits_for);
  }
  // Where the successors of each node end. Filled from behind, they begin there.
  std::partial_sum(first_successor.begin(), first_successor.end(), first_successor.begin());
  std::vector<NodeId> successors(first_successor[count]);
  for (NodeId node = count; node-- > 0;)
    for_each_before(node, [&](NodeId before) { successors[--first_successor[before]] = node; });
  std::vector<std::uint32_t> arrived(meetings_.size(), 0);
  std::vector<NodeId> ready;
  order_.reserve(count);
  const auto release = [&](NodeId done) {
    order_.push_back(done);
    for (std::uint32_t i = first_successor[done]; i < first_successor[done + 1]; ++i) {
      const NodeId next = successors[i];
      pending.Set(next, pending[next] - 1);
      if (pending[next] == 0) ready.push_back(next);
    }
  };
  const auto drain = [&] {
    while (!ready.empty()) {
      const NodeId node = ready.back();
      ready.pop_back();
      const std::uint32_t rendezvous = nodes_.RendezvousOf(node);
      if (rendezvous == kNoRendezvous) {
        release(node);
      } else if (++arrived[rendezvous] == meetings_[rendezvous].count) {
        for (const NodeId member : MembersOf(meetings_[rendezvous])) release(member);
      }
    }
  };
  for (NodeId node = count; node-- > 0;) {
    if (pending[node] == 0) ready.push_back(node);
  }
  drain();
  if (order_.size() == count) return;
  std::vector<std::uint32_t> open;
  const auto begin_of = [&](std::uint32_t meeting) {
    std::int64_t first = INT64_MAX;
    for (const NodeId node : MembersOf(meetings_[meeting])) first = std::min(first, begin[node]);
    return first;
  };
  for (std::uint32_t i = 0; i < meetings_.size(); ++i) {
    if (arrived[i] < meetings_[i].count) open.push_back(i);
  }
  std::sort(open.begin(), open.end(),
            [&](std::uint32_t a, std::uint32_t b) { return begin_of(a) < begin_of(b); });
  while (order_.size() < count) {
    const auto found = std::find_if(open.begin(), open.end(), [&](std::uint32_t i) {
      return arrived[i] > 0 && arrived[i] < meetings_[i].count;
    });
    if (found == open.end()) break;
    ++dissolved_;
    Meeting& meeting = meetings_[*found];
    std::int64_t last = INT64_MIN;
    for (const NodeId node : MembersOf(meeting)) last = std::max(last, begin[node]);
    for (const NodeId node : MembersOf(meeting)) {
      nodes_.SetRendezvous(node, kNoRendezvous);
      // It lasts from its own begin on, as recorded.
      if (!IsEager(node)) nodes_.SetDuration(node, nodes_.DurationOf(node) + (last - begin[node]));
      if (pending[node] == 0) ready.push_back(node);
    }
    meeting.count = 0;
    open.erase(found);
    drain();
  }
}

}  // namespace rankscope
