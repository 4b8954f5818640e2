// The longest path of an acyclic graph.
#pragma once

#include <span>
#include <vector>

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// Indices of the edges of the heaviest path, from its start to its end; negative weights count as
// 0. Empty if every edge has weight 0, or if the edges have a cycle. Node ids must be below
// `node_count`, and no pair of nodes may have two edges.
//
// Of several heaviest paths it returns that of NetworkX's dag_longest_path, since HTA's table
// depends on the choice. A node is reached from the first of its best predecessors in edge order.
// The path ends at the first of the best nodes in NetworkX's topological order: there, nodes
// without predecessors are ordered by their first edge, and every other node comes once its last
// predecessor has come, in the order of that predecessor's edges.
//
// O(nodes + edges) time and memory.
std::vector<std::uint32_t> LongestPath(std::size_t node_count, std::span<const Edge> edges);

}  // namespace rankscope::hta
