#include "insight/evidence/kernels/preempted.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

namespace rankscope {
namespace {

constexpr double kTimesOfKind = 10, kTimesOfEvenKind = 1.5;
constexpr double kEven = 1.15;  // the upper quartile, of the lower
constexpr std::int64_t kLeastLongerNs = 1'000'000;
constexpr std::size_t kEnoughOfKind = 3;

// Kernels of equal inputs and launches that may have more to do: what a mask leaves, how many
// tokens an expert got, which rows are looked up.
bool DependsOnValues(const NodeKind& kind) {
  return kind.kernel_class == KernelClass::kAttention ||
         kind.kernel_class == KernelClass::kEmbedding ||
         kind.kernel_class == KernelClass::kIndexing || Contains(kind.name, "group") ||
         Contains(kind.name, "moe") || Contains(kind.op, "group") || Contains(kind.op, "moe");
}

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
  struct Usual {
    std::int64_t ns = 0, most_ns = 0;
  };
  std::map<Kind, Usual> usual_of;
  for (auto& [kind, all] : durations) {
    if (all.size() < kEnoughOfKind) continue;
    std::sort(all.begin(), all.end());
    const std::int64_t lower = all[(all.size() - 1) / 4], upper = all[3 * (all.size() - 1) / 4];
    const bool is_even = !DependsOnValues(graph.kinds()[kind.second]) &&
                         static_cast<double>(upper) <= kEven * static_cast<double>(lower);
    usual_of[kind] = {lower, static_cast<std::int64_t>((is_even ? kTimesOfEvenKind : kTimesOfKind) *
                                                       static_cast<double>(lower))};
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
    if (ns > usual->second.most_ns && ns - usual->second.ns > kLeastLongerNs)
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
      usual_ns[node] = usual_of.at(kind_of(node)).ns;
    }
  }
}

}  // namespace rankscope
