#include "replay/places.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace rankscope {
namespace {

struct KeyedNode {
  std::uint64_t key = 0;
  NodeId node = 0;
};

// Groups are few: multiplied by an odd constant they do not meet with places.
constexpr std::uint64_t KeyOfGroup(std::uint32_t group) {
  return (std::uint64_t{group} + 1) * 0xD6E8FEB86659FD93ULL;
}

// The nodes of steps; those of one key stand together, in the order of their kinds, then in their
// own. Keys are hashes, so their upper bits spread: nodes are counted into buckets by these, and
// each bucket is sorted.
std::vector<KeyedNode> SortedByKey(const JobGraph& graph, const Peers& peers) {
  constexpr std::size_t kPerBucket = 32;
  constexpr int kMostBits = 22;
  const int bits =
      std::clamp(static_cast<int>(std::bit_width(graph.nodes().size() / kPerBucket)), 1, kMostBits);
  const auto bucket_of = [&](std::uint64_t key) { return key >> (64 - bits); };
  const auto for_each = [&](const auto& visit) {
    for (const JobGraph::CaptureNodes& capture : graph.captures()) {
      const std::uint64_t group = KeyOfGroup(peers.group_of[capture.rank]);
      for (NodeId node = capture.first; node < capture.last; ++node) {
        if (graph.StepOf(node) != kNoStep) visit(graph.PlaceOf(node) ^ group, node);
      }
    }
  };
  std::vector<std::uint32_t> begin((std::size_t{1} << bits) + 1, 0);
  for_each([&](std::uint64_t key, NodeId) { ++begin[bucket_of(key) + 1]; });
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<KeyedNode> sorted(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for_each([&](std::uint64_t key, NodeId node) { sorted[next[bucket_of(key)]++] = {key, node}; });
  const auto kind_of = [&](NodeId node) { return graph.nodes()[node].kind; };
  for (std::size_t i = 0; i + 1 < begin.size(); ++i)
    std::sort(sorted.begin() + begin[i], sorted.begin() + begin[i + 1],
              [&](const KeyedNode& a, const KeyedNode& b) {
                if (a.key != b.key) return a.key < b.key;
                const std::uint32_t left = kind_of(a.node);
                const std::uint32_t right = kind_of(b.node);
                return left != right ? left < right : a.node < b.node;
              });
  return sorted;
}

}  // namespace

Places::Places(const JobGraph& graph, const Peers& peers) : work_of_(graph.nodes().size(), kNone) {
  const std::vector<KeyedNode> sorted = SortedByKey(graph, peers);
  nodes_.reserve(sorted.size());
  const KeyedNode* before = nullptr;
  for (const KeyedNode& one : sorted) {
    const bool is_new_place = before == nullptr || before->key != one.key;
    if (is_new_place) first_work_.push_back(work_count());
    if (is_new_place || graph.nodes()[before->node].kind != graph.nodes()[one.node].kind) {
      first_node_.push_back(static_cast<std::uint32_t>(nodes_.size()));
      place_of_work_.push_back(static_cast<std::uint32_t>(first_work_.size() - 1));
    }
    work_of_[one.node] = work_count() - 1;
    nodes_.push_back(one.node);
    before = &one;
  }
  first_node_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  first_work_.push_back(work_count());
}

}  // namespace rankscope
