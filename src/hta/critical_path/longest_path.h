// The longest path of a graph without cycles.
#pragma once

#include <span>
#include <vector>

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// Indices of the edges of the heaviest path, from its begin to its end; edges of negative weight
// count as 0. Empty when every edge weighs nothing, or when the edges have a cycle. Node ids are
// below `node_count`, and no pair of nodes has two edges.
//
// Of several heaviest paths it is the one that NetworkX's dag_longest_path gives, as HTA's table
// depends on it: a node is reached from the first of its best predecessors by the order of edges,
// and the path ends at the first of the best nodes in the order of NetworkX's topological sort,
// where nodes without predecessors come by their first edge, and any other once the last of its
// predecessors has come, in the order of that one's edges.
//
// O(nodes + edges) time and memory.
std::vector<std::uint32_t> LongestPath(std::size_t node_count, std::span<const Edge> edges);

}  // namespace rankscope::hta
