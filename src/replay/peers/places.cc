#include "replay/peers/places.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <numeric>

namespace rankscope {
namespace {

// Groups are few: multiplied by an odd constant they do not meet with places.
constexpr std::uint64_t KeyOfGroup(std::uint32_t group) {
  return (std::uint64_t{group} + 1) * 0xD6E8FEB86659FD93ULL;
}

// Calls visit(key, node) for the nodes of steps: what stands at one place has one key.
template <typename Visit>
void ForEachKey(const JobGraph& graph, const Peers& peers, const Visit& visit) {
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    const std::uint64_t group = KeyOfGroup(peers.group_of[capture.rank]);
    for (const NodeId node : capture.nodes()) {
      if (graph.StepOf(node) != kNoStep) visit(graph.PlaceOf(node) ^ group, node);
    }
  }
}

}  // namespace

Places::Places(const JobGraph& graph, const Peers& peers) : work_of_(graph.nodes().size(), kNone) {
  // Places are numbered as they come, so those that follow each other in a step lie together in
  // memory. work_of_ holds their numbers until the works are known.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> count;
  std::uint32_t number = 0;
  ForEachKey(graph, peers, [&](std::uint64_t key, NodeId node) {
    // Mostly the next one, as in the step before.
    if (++number >= keys.size() || keys[number] != key) {
      const auto [found, is_new] =
          numbers.try_emplace(key, static_cast<std::uint32_t>(keys.size()));
      number = found->second;
      if (is_new) {
        keys.push_back(key);
        count.push_back(0);
      }
    }
    ++count[number];
    work_of_[node] = number;
  });
  std::vector<std::uint32_t> next(keys.size());
  std::exclusive_scan(count.begin(), count.end(), next.begin(), 0U);
  nodes_.resize(std::accumulate(count.begin(), count.end(), std::size_t{0}));
  for (NodeId node = 0; node < work_of_.size(); ++node) {
    if (work_of_[node] != kNone) nodes_[next[work_of_[node]]++] = node;
  }
  const auto by_kind = [&](NodeId a, NodeId b) {
    return graph.nodes().KindOf(a) < graph.nodes().KindOf(b);
  };
  std::uint32_t first = 0;
  for (const std::uint32_t nodes : count) {
    const std::span<NodeId> place = std::span(nodes_).subspan(first, nodes);
    first += nodes;
    if (!std::is_sorted(place.begin(), place.end(), by_kind))
      std::stable_sort(place.begin(), place.end(), by_kind);
    first_work_.push_back(work_count());
    AddWorks(graph, place);
  }
  first_node_.push_back(first);
  first_work_.push_back(work_count());
}

// Of a place, whose nodes of one kind stand together.
void Places::AddWorks(const JobGraph& graph, std::span<const NodeId> place) {
  const auto first_node = static_cast<std::uint32_t>(place.data() - nodes_.data());
  std::uint32_t kind = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const std::uint32_t of_node = graph.nodes().KindOf(place[i]);
    if (i == 0 || of_node != kind) {
      first_node_.push_back(first_node + static_cast<std::uint32_t>(i));
      place_of_work_.push_back(static_cast<std::uint32_t>(first_work_.size() - 1));
    }
    kind = of_node;
    work_of_[place[i]] = work_count() - 1;
  }
}

}  // namespace rankscope
