#include "insight/evidence/kernels/preempted.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope {
namespace {

constexpr std::int64_t kTimesOfKind = 10;
constexpr std::int64_t kLeastLongerNs = 1'000'000;
constexpr std::size_t kEnoughOfKind = 3;

}  // namespace

Preempted::Preempted(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  using Kind = std::pair<std::uint32_t, std::uint32_t>;  // rank, kind
  const auto kind_of = [&](NodeId node) {
    return Kind{input.RankOf(node), graph.nodes().KindOf(node)};
  };
  std::map<Kind, std::vector<std::int64_t>> durations;
  const auto is_long = [&](NodeId node) {
    return graph.KindOf(node).work == Work::kCompute &&
           graph.nodes().DurationOf(node) > kLeastLongerNs;
  };
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (is_long(node)) durations[kind_of(node)];
  }
  if (durations.empty()) return;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto found = durations.find(kind_of(node));
    if (found != durations.end()) found->second.push_back(graph.nodes().DurationOf(node));
  }
  std::map<Kind, std::int64_t> usual_of;
  for (auto& [kind, all] : durations) {
    if (all.size() < kEnoughOfKind) continue;
    const auto at = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 4);
    std::nth_element(all.begin(), at, all.end());
    usual_of[kind] = *at;
  }
  using PlaceOfRank = std::pair<std::uint32_t, std::uint64_t>;
  const auto place_of = [&](NodeId node) {
    return PlaceOfRank{input.RankOf(node), graph.PlaceOf(node)};
  };
  std::map<PlaceOfRank, std::vector<NodeId>> found;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!is_long(node)) continue;
    const auto usual = usual_of.find(kind_of(node));
    if (usual == usual_of.end()) continue;
    const std::int64_t ns = graph.nodes().DurationOf(node);
    if (ns > kTimesOfKind * usual->second && ns - usual->second > kLeastLongerNs)
      found[place_of(node)].push_back(node);
  }
  if (found.empty()) return;
  std::map<PlaceOfRank, std::size_t> at_place;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.KindOf(node).work == Work::kCompute && found.contains(place_of(node)))
      ++at_place[place_of(node)];
  }
  for (const auto& [place, nodes] : found) {
    if (2 * nodes.size() > at_place.at(place) && nodes.size() > 1) continue;
    for (const NodeId node : nodes) {
      has.resize(graph.nodes().size(), false);
      has[node] = true;
      usual_ns[node] = usual_of.at(kind_of(node));
    }
  }
}

}  // namespace rankscope
