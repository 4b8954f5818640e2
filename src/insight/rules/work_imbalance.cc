// sharding-, expert- and sequence-imbalance: ranks that do the same work have different amounts of
// it.
//
// Compared are the kernels whose inputs' shapes differ between peers, or that some peers do not run
// at all: with equal shapes a longer time is another matter (slow-gpu).
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "base/median.h"
#include "insight/cause_tools.h"
#include "insight/exchanges.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

struct Place {
  std::uint64_t place = 0;
  std::uint32_t step = 0;
  NodeId node = 0;
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsOfTables(const NodeKind& kind) {
  return kind.kernel_class == KernelClass::kEmbedding || Contains(kind.name, "embedding") ||
         Contains(kind.op, "embedding") || Contains(kind.op, "lookup");
}

// Of one place without shapes: whether one that no slow device ran takes much longer than most.
bool DifferInTime(const JobGraph& graph, std::span<const Place> places,
                  const std::vector<std::uint32_t>& slow) {
  std::vector<std::int64_t> durations;
  std::int64_t most = 0;
  for (const Place& place : places) {
    if (!graph.KindOf(place.node).shapes.empty()) return false;
    const std::int64_t ns = graph.nodes()[place.node].duration_ns;
    durations.push_back(ns);
    if (!std::binary_search(slow.begin(), slow.end(), graph.RankOf(place.node)))
      most = std::max(most, ns);
  }
  return static_cast<double>(most) > kDiffersByTime * static_cast<double>(MedianOf(durations)) &&
         static_cast<double>(most) > kLeastRoofNs;
}

// The nodes of computing that differ in shape from their like on peers in the same step.
std::vector<NodeId> VaryingNodes(const RuleInput& input, bool by_time) {
  const JobGraph& graph = input.graph();
  const std::vector<std::uint32_t> slow = SlowDevices(input);
  std::vector<NodeId> varying;
  std::map<std::uint32_t, std::vector<Place>> by_group;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.KindOf(node).work != Work::kCompute || graph.StepOf(node) == kNoStep) continue;
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
      differ =
          differ || (by_time && DifferInTime(graph, std::span(places).subspan(i, end - i), slow));
      if (differ || end - i < peers) {
        for (std::size_t k = i; k < end; ++k) varying.push_back(places[k].node);
      }
      i = end;
    }
  }
  return varying;
}

// An all-to-all takes as long as the rank that receives or sends most: with even loads each would
// take the mean.
void EvenExchanges(const RuleInput& input, Scenario& without) {
  const Exchanges exchanges(input);
  const JobCollectives& all = input.across().collectives();
  for (const Exchange& exchange : exchanges.all()) {
    const std::uint32_t collective = input.graph().meetings()[exchange.meeting].collective;
    if (collective == UINT32_MAX || exchange.op != CollectiveOp::kAllToAll) continue;
    double sum = 0, most = 0;
    std::size_t count = 0;
    for (const std::uint32_t event : all.MembersOf(all.collectives()[collective])) {
      const auto load =
          static_cast<double>(std::max(all.events()[event].in, all.events()[event].out));
      if (load < 0) continue;
      sum += load;
      most = std::max(most, load);
      ++count;
    }
    if (most <= 0) continue;
    const double even = sum / (most * static_cast<double>(count));
    Exchanges::SetTransfer(
        input.graph(), exchange,
        static_cast<std::int64_t>(static_cast<double>(exchange.transfer_ns) * even), without);
  }
}

// The ranks that have more do as much of the varying work as the median of their peers.
Scenario WithUsualShare(const RuleInput& input, const std::vector<NodeId>& varying,
                        const std::vector<std::uint32_t>& heavy,
                        const std::vector<double>& of_rank) {
  Scenario scenario = input.recorded();
  for (const NodeId node : varying) {
    const std::uint32_t rank = input.RankOf(node);
    if (!std::binary_search(heavy.begin(), heavy.end(), rank) || of_rank[rank] <= 0) continue;
    std::vector<double> theirs;
    for (const std::uint32_t peer : input.peers().of[input.peers().group_of[rank]])
      theirs.push_back(of_rank[peer]);
    scenario.SetDuration(node, static_cast<std::int64_t>(
                                   static_cast<double>(input.graph().nodes()[node].duration_ns) *
                                   std::min(1.0, MedianOf(theirs) / of_rank[rank])));
  }
  return scenario;
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  bool has_experts = false;
  for (const RoleLayout& role : input.across().layout().roles)
    has_experts = has_experts || role.Of(Dimension::kExpert).degree > 1;
  const std::vector<NodeId> varying = VaryingNodes(input, has_experts);
  if (varying.empty()) return;
  // Of each rank and step, and the mean of its peers.
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> own;
  std::vector<double> of_rank(input.ranks(), 0);
  std::int64_t tables = 0, experts = 0, all = 0;
  for (const NodeId node : varying) {
    const auto ns = graph.nodes()[node].duration_ns;
    own[{input.RankOf(node), graph.StepOf(node)}] += static_cast<double>(ns);
    if (!input.Counts(node)) continue;
    of_rank[input.RankOf(node)] += static_cast<double>(ns);
    all += ns;
    if (IsOfTables(graph.KindOf(node))) tables += ns;
  }
  experts = has_experts ? all - tables : 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> mean;  // by group of peers and step
  // Of a place: sum and number of its nodes. Layer by layer ranks differ otherwise than in sum.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::pair<double, std::size_t>>
      places;
  for (const auto& [where, ns] : own) {
    const std::uint32_t group = input.peers().group_of[where.first];
    mean[{group, where.second}] += ns / static_cast<double>(input.peers().of[group].size());
  }
  const auto place_of = [&](NodeId node) {
    return std::tuple(input.peers().group_of[input.RankOf(node)], graph.StepOf(node),
                      graph.PlaceOf(node));
  };
  for (const NodeId node : varying) {
    auto& [sum, count] = places[place_of(node)];
    sum += static_cast<double>(graph.nodes()[node].duration_ns);
    ++count;
  }
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  for (const NodeId node : varying) {
    const std::uint32_t rank = input.RankOf(node);
    const std::uint32_t group = input.peers().group_of[rank];
    const auto ns = static_cast<double>(graph.nodes()[node].duration_ns);
    const auto& [sum, count] = places[place_of(node)];
    const double mine = own[{rank, graph.StepOf(node)}];
    if (count == input.peers().of[group].size()) {
      without.SetDuration(node, static_cast<std::int64_t>(sum / static_cast<double>(count)));
      if (input.Counts(node) && ns > sum / static_cast<double>(count)) nodes.push_back(node);
    } else if (mine > 0) {
      const double usual = mean[{group, graph.StepOf(node)}];
      without.SetDuration(node, static_cast<std::int64_t>(ns * usual / mine));
      if (input.Counts(node) && mine > usual) nodes.push_back(node);
    }
  }
  if (nodes.empty()) return;
  // Ranks that have more in the mean of all steps, beyond what chance from step to step makes.
  std::vector<double> group_mean(input.peers().of.size(), 0);
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const std::uint32_t group = input.peers().group_of[rank];
    group_mean[group] += of_rank[rank] / static_cast<double>(input.peers().of[group].size());
  }
  std::vector<std::uint32_t> heavy = RanksThat(input, [&](std::uint32_t rank) {
    return of_rank[rank] > kMoreWork * group_mean[input.peers().group_of[rank]] &&
           input.ShareOfSteps(static_cast<std::int64_t>(
               of_rank[rank] - group_mean[input.peers().group_of[rank]])) > kLowGain;
  });
  Cause cause;
  cause.tier = Tier::kRoot;
  const auto steps = static_cast<double>(input.counted().size());
  const double most = *std::max_element(of_rank.begin(), of_rank.end()) / steps;
  const double least = *std::min_element(of_rank.begin(), of_rank.end()) / steps;
  const std::string spread = fmt::format("from {} to {} a step", TimeText(least), TimeText(most));
  if (2 * tables > all) {
    cause.id = "sharding-imbalance";
    if (heavy.empty() || 2 * heavy.size() > input.ranks()) return;
    without = WithUsualShare(input, varying, heavy, of_rank);
    cause.what =
        fmt::format("{} ha{} more of the sharded tables than the others: their kernels take {}",
                    WhoText(input, heavy), heavy.size() == 1 ? "s" : "ve", spread);
    cause.recommendation =
        "Shard again by measured cost instead of by size: EmbeddingShardingPlanner with a storage "
        "and compute estimate (TorchRec), or move single tables off that rank; split the largest "
        "column- or row-wise.";
    cause.command = "rankscope table kernels_by_rank TRACES";
  } else if (experts > 0) {
    cause.id = "expert-imbalance";
    if (heavy.empty() || 2 * heavy.size() > input.ranks()) heavy = AllRanks(input);
    cause.what = fmt::format(
        "experts get uneven loads: kernels that depend on them take {} on single ranks", spread);
    cause.recommendation =
        "Raise the weight of the auxiliary balancing loss or use bias-based balancing, bound the "
        "capacity factor, place experts that are used together on different ranks.";
    cause.command = "rankscope table expert_ranks TRACES";
  } else {
    cause.id = "sequence-imbalance";
    heavy = AllRanks(input);
    cause.what = fmt::format(
        "batches differ in size between ranks and steps: kernels that depend on it take {} on "
        "single ranks",
        spread);
    cause.recommendation =
        "Pack sequences to one length, or sort them into buckets of like length so that all ranks "
        "of a step get the same number of tokens.";
    cause.command = "rankscope table ops_by_shape TRACES";
  }
  if (cause.id == "expert-imbalance") EvenExchanges(input, without);
  cause.ranks = heavy;
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  double lost = 0;
  for (const std::uint32_t rank : heavy)
    lost += std::max(0.0, of_rank[rank] - group_mean[input.peers().group_of[rank]]);
  cause.lost_ns = static_cast<std::int64_t>(lost / (steps * static_cast<double>(heavy.size())));
  cause.why =
      "kernels whose input shapes differ from those at the same place of the same step on the "
      "ranks "
      "that do the same work; replayed with even shares";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& WorkImbalanceRule() {
  static const Rule kRule{.ids = {"sharding-imbalance", "expert-imbalance", "sequence-imbalance"},
                          .tables = {},
                          .find = Find};
  return kRule;
}

}  // namespace rankscope
