#include "insight/evidence/peers/varying_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "base/median.h"
#include "base/spilled_vector.h"
#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/peers/peer_speed.h"

namespace rankscope {
namespace {

struct Place {
  std::uint64_t place = 0;
  std::uint32_t step = 0;
  NodeId node = 0;
};

bool HasExperts(const RuleInput& input) {
  const auto& roles = input.across().layout().roles;
  return std::any_of(roles.begin(), roles.end(),
                     [](const RoleLayout& role) { return role.Of(Dimension::kExpert).degree > 1; });
}

// Whether what a kernel has to do depends on more than the shapes of its inputs: attention computes
// what its mask leaves, the lengths within a packed batch, a rank's part of a causal sequence.
bool DependsOnValues(const NodeKind& kind) { return kind.kernel_class == KernelClass::kAttention; }

// Of one place whose shapes do not tell the work: whether one that no slow device ran takes much
// longer than most.
bool DifferInTime(const JobGraph& graph, std::span<const Place> places,
                  const std::vector<std::uint32_t>& slow, const Preempted& preempted) {
  std::vector<std::int64_t> durations;
  std::int64_t most = 0;
  for (const Place& place : places) {
    const NodeKind& kind = graph.KindOf(place.node);
    if (!kind.shapes.empty() && !DependsOnValues(kind)) return false;
    if (preempted.Has(place.node)) return false;
    const std::int64_t ns = graph.nodes()[place.node].duration_ns;
    durations.push_back(ns);
    if (!std::binary_search(slow.begin(), slow.end(), graph.RankOf(place.node)))
      most = std::max(most, ns);
  }
  return static_cast<double>(most) > kDiffersByTime * static_cast<double>(MedianOf(durations)) &&
         static_cast<double>(most) > kLeastRoofNs;
}

// The nodes of computing that differ in shape from their like on peers in the same step; and to
// `by_values`, ascending, those that differ in nothing but their time.
std::vector<NodeId> VaryingNodes(const RuleInput& input, bool by_time,
                                 std::vector<NodeId>& by_values) {
  const JobGraph& graph = input.graph();
  const std::vector<std::uint32_t>& slow = input.Shared<SlowDevices>().ranks;
  const auto& preempted = input.Shared<Preempted>();
  std::vector<NodeId> varying;
  std::map<std::uint32_t, SpilledVector<Place>> by_group;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!graph.KindOf(node).Computes() || graph.StepOf(node) == kNoStep) continue;
    const std::uint32_t group = input.peers().group_of[input.RankOf(node)];
    if (input.peers().of[group].size() > 1)
      by_group[group].push_back({graph.PlaceOf(node), graph.StepOf(node), node});
  }
  for (auto& [group, places] : by_group) {
    const std::size_t peers = input.peers().of[group].size();
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::tuple(a.step, a.place, a.node) < std::tuple(b.step, b.place, b.node);
    });
    for (std::size_t i = 0; i < places.size();) {
      std::size_t end = i + 1;
      bool differ = false;
      while (end < places.size() && places[end].step == places[i].step &&
             places[end].place == places[i].place) {
        differ =
            differ || graph.nodes()[places[end].node].kind != graph.nodes()[places[i].node].kind;
        ++end;
      }
      const bool depends_on_values = DependsOnValues(graph.KindOf(places[i].node));
      const bool differ_in_time =
          !differ && (by_time || depends_on_values) &&
          DifferInTime(graph, std::span(places).subspan(i, end - i), slow, preempted);
      differ = differ || differ_in_time;
      // Which short ops of a host are nodes of their own depends on how long they take.
      const bool is_kernel = graph.KindOf(places[i].node).work == Work::kCompute;
      if (differ || (is_kernel && end - i < peers)) {
        for (std::size_t k = i; k < end; ++k) varying.push_back(places[k].node);
        const bool are_by_values = differ_in_time && depends_on_values && end - i == peers;
        for (std::size_t k = i; are_by_values && k < end; ++k) by_values.push_back(places[k].node);
      }
      i = end;
    }
  }
  std::sort(by_values.begin(), by_values.end());
  return varying;
}

// What a node would take with even shares: where all peers run its place, the mean of these, since
// layer by layer ranks differ otherwise than in sum; else in proportion of the rank's whole.
class EvenShares {
 public:
  EvenShares(const RuleInput& input, const std::vector<NodeId>& varying) : input_(input) {
    const JobGraph& graph = input.graph();
    for (const NodeId node : varying) {
      const auto ns = static_cast<double>(graph.nodes()[node].duration_ns);
      own_[{input.RankOf(node), graph.StepOf(node)}] += ns;
      auto& [sum, count] = places_[PlaceOf(node)];
      sum += ns;
      ++count;
    }
    for (const auto& [where, ns] : own_) {
      const std::uint32_t group = input.peers().group_of[where.first];
      mean_[{group, where.second}] += ns / static_cast<double>(input.peers().of[group].size());
    }
  }

  struct Share {
    std::int64_t ns = 0;
    bool is_less = false;  // than now
  };
  Share Of(NodeId node) const {
    const std::uint32_t rank = input_.RankOf(node);
    const std::uint32_t step = input_.graph().StepOf(node);
    const std::uint32_t group = input_.peers().group_of[rank];
    const std::int64_t now = input_.graph().nodes()[node].duration_ns;
    const auto ns = static_cast<double>(now);
    const auto& [sum, count] = places_.at(PlaceOf(node));
    if (count == input_.peers().of[group].size()) {
      const double even = sum / static_cast<double>(count);
      return {static_cast<std::int64_t>(even), ns > even};
    }
    const double mine = own_.at({rank, step});
    if (mine <= 0) return {now, false};
    const double usual = mean_.at({group, step});
    return {static_cast<std::int64_t>(ns * usual / mine), mine > usual};
  }

 private:
  using GroupStepPlace = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  GroupStepPlace PlaceOf(NodeId node) const {
    const JobGraph& graph = input_.graph();
    return {input_.peers().group_of[input_.RankOf(node)], graph.StepOf(node), graph.PlaceOf(node)};
  }

  const RuleInput& input_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> own_;    // by rank and step
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> mean_;   // by group of peers and step
  std::map<GroupStepPlace, std::pair<double, std::size_t>> places_;  // sum and number of nodes
};

// Whether peers run the same kernels with the same blocks and threads in every step: then their
// batches are of one size, whatever op some launch on the edge of two is counted to. False where
// launches were not recorded.
bool LaunchAlike(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::vector<std::size_t> of_kind;
  for (const NodeKind& kind : graph.kinds()) {
    if (kind.work == Work::kCompute && kind.launch_shape.empty()) return false;
    of_kind.push_back(std::hash<std::string>()(kind.name + kind.launch_shape));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> sums;  // by step and rank
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCompute)
      sums[{graph.StepOf(node), input.RankOf(node)}] += of_kind[graph.nodes().KindOf(node)];
  });
  if (sums.empty()) return false;
  return std::all_of(sums.begin(), sums.end(), [&](const auto& one) {
    const auto& [step, rank] = one.first;
    const std::uint32_t first = input.peers().of[input.peers().group_of[rank]].front();
    const auto found = sums.find({step, first});
    return found != sums.end() && found->second == one.second;
  });
}

}  // namespace

bool IsOfTables(std::string_view op) {
  return Contains(op, "embedding") || Contains(op, "Embedding") || Contains(op, "lookup") ||
         Contains(op, "Lookup");
}

bool WorksOnTables(const NodeKind& kind) {
  if (!kind.Computes()) return false;
  return kind.kernel_class == KernelClass::kEmbedding || Contains(kind.name, "embedding") ||
         IsOfTables(kind.op);
}

VaryingWork::VaryingWork(const RuleInput& input)
    : of_rank(input.ranks(), 0), of_peers(input.ranks(), 0) {
  const bool has_experts = HasExperts(input);
  nodes = VaryingNodes(input, has_experts, by_values);
  const EvenShares shares(input, nodes);
  std::int64_t tables = 0, all = 0;
  even_ns.reserve(nodes.size());
  for (const NodeId node : nodes) {
    const EvenShares::Share share = shares.Of(node);
    even_ns.push_back(share.ns);
    if (!input.Counts(node)) continue;
    if (share.is_less) heavier.push_back(node);
    const std::int64_t ns = input.graph().nodes()[node].duration_ns;
    of_rank[input.RankOf(node)] += static_cast<double>(ns);
    all += ns;
    if (WorksOnTables(input.graph().KindOf(node))) tables += ns;
  }
  if (heavier.empty()) return;
  by = 2 * tables > all                  ? VariesBy::kTables
       : has_experts && all - tables > 0 ? VariesBy::kExperts
                                         : VariesBy::kBatches;
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    double mean = 0;
    for (const std::uint32_t rank : peers)
      mean += of_rank[rank] / static_cast<double>(peers.size());
    for (const std::uint32_t rank : peers) of_peers[rank] = mean;
  }
  heavy = RanksThat(input, [&](std::uint32_t rank) {
    return of_rank[rank] > kMuchMoreWork * of_peers[rank] &&
           input.ShareOfSteps(static_cast<std::int64_t>(of_rank[rank] - of_peers[rank])) > kLowGain;
  });
}

bool VaryingWork::ByValues(const RuleInput& input) const {
  std::int64_t of_values = 0, all = 0;
  for (const NodeId node : heavier) {
    const std::int64_t ns = input.graph().nodes().DurationOf(node);
    all += ns;
    of_values += std::ranges::binary_search(by_values, node) ? ns : 0;
  }
  return 2 * of_values > all;
}

bool VaryingWork::ByShapes(const RuleInput& input) const {
  const JobGraph& graph = input.graph();
  if (LaunchAlike(input)) return false;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::string_view>> shapes;
  const auto at = [&](NodeId node) { return std::pair(graph.StepOf(node), graph.PlaceOf(node)); };
  for (const NodeId node : nodes) {
    if (!graph.KindOf(node).shapes.empty()) shapes[at(node)].insert(graph.KindOf(node).shapes);
  }
  double differing = 0, all = 0;
  for (const NodeId node : nodes) {
    const auto ns = static_cast<double>(graph.nodes()[node].duration_ns);
    const auto found = shapes.find(at(node));
    all += ns;
    differing += found != shapes.end() && found->second.size() > 1 ? ns : 0;
  }
  return all > 0 && 2 * differing >= all;
}

std::string VaryingWork::SpreadText(const RuleInput& input) const {
  const auto steps = static_cast<double>(input.counted().size());
  return fmt::format("from {} to {} a step",
                     TimeText(*std::min_element(of_rank.begin(), of_rank.end()) / steps),
                     TimeText(*std::max_element(of_rank.begin(), of_rank.end()) / steps));
}

std::string VaryingWork::SpreadInStepText(const RuleInput& input) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> own;  // by step and rank
  for (const NodeId node : nodes) {
    if (input.Counts(node))
      own[{input.graph().StepOf(node), input.RankOf(node)}] +=
          static_cast<double>(input.graph().nodes().DurationOf(node));
  }
  double least_ns = 0, most_ns = 0;
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    double least_of_peers = 0, most_of_peers = 0;
    for (const std::size_t step : input.counted()) {
      std::vector<double> times;
      for (const std::uint32_t rank : peers) {
        const auto found = own.find({static_cast<std::uint32_t>(step), rank});
        times.push_back(found == own.end() ? 0 : found->second);
      }
      if (times.empty()) continue;
      least_of_peers += *std::ranges::min_element(times);
      most_of_peers += *std::ranges::max_element(times);
    }
    if (most_of_peers - least_of_peers <= most_ns - least_ns) continue;
    least_ns = least_of_peers;
    most_ns = most_of_peers;
  }
  const auto steps = static_cast<double>(input.counted().size());
  return fmt::format(
      "from {} on the rank with least of it to {} on that with most, in the mean step",
      TimeText(least_ns / steps), TimeText(most_ns / steps));
}

Scenario VaryingWork::WithEvenShares(const RuleInput& input) const {
  Scenario scenario = input.recorded();
  for (std::size_t i = 0; i < nodes.size(); ++i) scenario.SetDuration(nodes[i], even_ns[i]);
  return scenario;
}

Cause CauseOfVaryingWork(const RuleInput& input, const VaryingWork& work,
                         std::vector<std::uint32_t> ranks) {
  Cause cause;
  cause.ranks = std::move(ranks);
  TellWhere(input, work.heavier, cause);
  double lost = 0;
  for (const std::uint32_t rank : cause.ranks)
    lost += std::max(0.0, work.of_rank[rank] - work.of_peers[rank]);
  cause.lost_ns = static_cast<std::int64_t>(lost / (static_cast<double>(input.counted().size()) *
                                                    static_cast<double>(cause.ranks.size())));
  return cause;
}

}  // namespace rankscope
