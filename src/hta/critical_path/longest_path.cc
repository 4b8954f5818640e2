#include "hta/critical_path/longest_path.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope::hta {
namespace {

constexpr std::uint32_t kNoEdge = 0xFFFFFFFF;

// Edges by one of their nodes, those of a node in the order of edges.
class EdgesOfNodes {
 public:
  EdgesOfNodes(std::size_t node_count, std::span<const Edge> edges, NodeId Edge::*node)
      : begins_(node_count + 1), edges_(edges.size()) {
    for (const Edge& edge : edges) ++begins_[edge.*node + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t i = 0; i < edges.size(); ++i) edges_[next[edges[i].*node]++] = i;
  }
  std::span<const std::uint32_t> Of(NodeId node) const {
    return std::span(edges_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<std::uint32_t> begins_;  // by node
  std::vector<std::uint32_t> edges_;
};

// All nodes with edges, or fewer when there is a cycle.
std::vector<NodeId> TopologicalOrder(std::size_t node_count, std::span<const Edge> edges,
                                     const EdgesOfNodes& leaving) {
  std::vector<std::uint32_t> missing(node_count);  // predecessors that have not come
  for (const Edge& edge : edges) ++missing[edge.to];
  std::vector<NodeId> order;
  // A node whose first edge leads to it has a predecessor, so only begins of edges are looked at.
  std::vector<std::uint8_t> is_seen(node_count);
  for (const Edge& edge : edges) {
    if (missing[edge.from] == 0 && is_seen[edge.from] == 0) order.push_back(edge.from);
    is_seen[edge.from] = 1;
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t edge : leaving.Of(order[i])) {
      if (--missing[edges[edge].to] == 0) order.push_back(edges[edge].to);
    }
  }
  return order;
}

}  // namespace

std::vector<std::uint32_t> LongestPath(std::size_t node_count, std::span<const Edge> edges) {
  const EdgesOfNodes leaving(node_count, edges, &Edge::from);
  const EdgesOfNodes arriving(node_count, edges, &Edge::to);
  const std::vector<NodeId> order = TopologicalOrder(node_count, edges, leaving);

  std::vector<std::int64_t> lengths(node_count);
  std::vector<std::uint32_t> best(node_count, kNoEdge);
  std::size_t reached = 0;
  NodeId last = 0;
  std::int64_t longest = 0;
  for (const NodeId node : order) {
    std::int64_t length = -1;
    for (const std::uint32_t i : arriving.Of(node)) {
      const Edge& edge = edges[i];
      const std::int64_t through =
          SaturatingAdd(lengths[edge.from], std::max<std::int64_t>(edge.weight, 0));
      if (through <= length) continue;
      length = through;
      best[node] = i;
    }
    reached += arriving.Of(node).size();
    lengths[node] = std::max<std::int64_t>(length, 0);
    if (lengths[node] <= longest) continue;
    longest = lengths[node];
    last = node;
  }
  if (reached < edges.size() || longest == 0) return {};

  std::vector<std::uint32_t> path;
  for (NodeId node = last; best[node] != kNoEdge; node = edges[best[node]].from)
    path.push_back(best[node]);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace rankscope::hta
