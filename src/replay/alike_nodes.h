// Nodes that are alike, put together: sorted by a key that is the same for them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/job_graph.h"

namespace rankscope {

// Groups are few: multiplied by an odd constant they do not meet with places.
constexpr std::uint64_t KeyOfGroup(std::uint32_t group) {
  return (std::uint64_t{group} + 1) * 0xD6E8FEB86659FD93ULL;
}

struct KeyedNode {
  std::uint64_t key = 0;
  NodeId node = 0;
};

// Of the nodes for which key_of(node, rank, key) sets the key and returns true; those of one key
// stand together, in their order. Keys are hashes: their upper bits spread. O(n), 16 bytes a node;
// key_of is asked twice.
template <typename KeyOf>
std::vector<KeyedNode> SortedByKey(const JobGraph& graph, const KeyOf& key_of) {
  constexpr std::size_t kPerBucket = 32;
  constexpr int kMostBits = 22;
  const int bits =
      std::clamp(static_cast<int>(std::bit_width(graph.nodes().size() / kPerBucket)), 1, kMostBits);
  const auto bucket_of = [&](std::uint64_t key) { return key >> (64 - bits); };
  const auto for_each = [&](const auto& visit) {
    std::uint64_t key = 0;
    for (const JobGraph::CaptureNodes& capture : graph.captures()) {
      for (NodeId node = capture.first; node < capture.last; ++node) {
        if (key_of(node, capture.rank, key)) visit(key, node);
      }
    }
  };
  std::vector<std::uint32_t> begin((std::size_t{1} << bits) + 1, 0);
  for_each([&](std::uint64_t key, NodeId) { ++begin[bucket_of(key) + 1]; });
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<KeyedNode> nodes(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for_each([&](std::uint64_t key, NodeId node) { nodes[next[bucket_of(key)]++] = {key, node}; });
  for (std::size_t i = 0; i + 1 < begin.size(); ++i)
    std::sort(nodes.begin() + begin[i], nodes.begin() + begin[i + 1],
              [](const KeyedNode& a, const KeyedNode& b) {
                return a.key != b.key ? a.key < b.key : a.node < b.node;
              });
  return nodes;
}

// Calls visit(nodes) for those of each key.
template <typename Visit>
void ForEachKey(std::span<const KeyedNode> nodes, const Visit& visit) {
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i + 1;
    while (end < nodes.size() && nodes[end].key == nodes[i].key) ++end;
    visit(nodes.subspan(i, end - i));
    i = end;
  }
}

}  // namespace rankscope
