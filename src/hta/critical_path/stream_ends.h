// Tracks the end of the last work of every stream so far.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <span>
#include <vector>

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// Up to this many streams, a wait for all streams has an edge from each, as in HTA. With more,
// waits share the joins of a binary tree over the streams, and each wait adds only the joins that
// have changed since the previous wait. The longest path has the same length, and thousands of
// waits for thousands of streams take at most 2 log2(streams) edges per piece of work.
inline constexpr std::size_t kMostDirectStreams = 64;

class StreamEnds {
 public:
  // For at most `stream_count` streams. Adds joins and their edges to the graph.
  StreamEnds(std::size_t stream_count, Graph& graph);

  std::optional<NodeId> Of(std::int64_t stream) const;
  void Set(std::int64_t stream, NodeId end);
  // Nodes that together represent the ends of all streams: those ends, in the order of the streams'
  // first work, or a join. Valid until the next call.
  std::span<const NodeId> All();

 private:
  void Refresh();

  Graph& graph_;
  const std::size_t width_;                                      // leaves of the tree
  boost::unordered_flat_map<std::int64_t, std::size_t> leaves_;  // by stream
  // Node i has the children 2 i and 2 i + 1, and the leaves come last; kNone if nothing has ended.
  std::vector<NodeId> tree_;
  std::vector<std::size_t> changed_;  // leaves since the last Refresh
};

}  // namespace rankscope::hta
