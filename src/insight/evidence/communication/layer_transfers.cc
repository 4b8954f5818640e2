#include "insight/evidence/communication/layer_transfers.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "insight/base/thresholds.h"
#include "insight/evidence/setting/hosts.h"

namespace rankscope {
namespace {

// Little for a link: some microseconds at most. Where the size is not known, as inside of graphs,
// what takes no longer than this.
constexpr std::int64_t kLittleBytes = 512 << 10;
constexpr std::int64_t kLittleNs = 100'000;

constexpr std::array<Dimension, 3> kOfLayers = {Dimension::kTensor, Dimension::kContext,
                                                Dimension::kExpert};
bool IsOfLayers(Dimension of) { return std::ranges::find(kOfLayers, of) != kOfLayers.end(); }

// Process groups of these dimensions, by JobCollectives' number.
std::map<std::uint32_t, Dimension> GroupsOfLayers(const RuleInput& input) {
  std::map<std::uint32_t, Dimension> groups;
  for (const RoleLayout& role : input.across().layout().roles) {
    for (const Dimension of : kOfLayers) {
      for (const std::uint32_t group : role.Of(of).groups) groups.try_emplace(group, of);
    }
  }
  return groups;
}

// A step of layers reduces at least so often.
constexpr double kManyLayers = 8;

// Ranks that only infer and share no data by name: replicas would reduce nothing, so that what all
// of them reduce is of layers.
bool AreReplicasByRest(const RoleLayout& role, Dimension dimension) {
  return role.role == RankRole::kInference && dimension == Dimension::kData &&
         role.Of(dimension).source == LayoutSource::kRest;
}

// The one dimension in which the ranks of the job are divided by names of its groups, if it is one
// of layers: what kernels without a group exchange among so many ranks, as inside of graphs, is
// its.
struct OnlyDimensionOfJob {
  Dimension dimension = Dimension::kTensor;
  std::size_t degree = 1;
  bool is_by_rest = false;  // no name says so
};
std::optional<OnlyDimensionOfJob> OnlyDimension(const RuleInput& input) {
  std::optional<OnlyDimensionOfJob> only;
  for (const RoleLayout& role : input.across().layout().roles) {
    for (std::size_t i = 0; i < role.dimensions.size(); ++i) {
      const DimensionFit& fit = role.dimensions[i];
      const auto dimension = static_cast<Dimension>(i);
      if (fit.degree <= 1) continue;
      if (!only && AreReplicasByRest(role, dimension)) {
        only = {Dimension::kTensor, static_cast<std::size_t>(fit.degree), true};
        continue;
      }
      if (only || !IsOfLayers(dimension) || fit.source != LayoutSource::kNames) return std::nullopt;
      only = {dimension, static_cast<std::size_t>(fit.degree), false};
    }
  }
  return only;
}

// A kernel that is made for small exchanges: vLLM's and SGLang's own all-reduce.
bool IsOfOneShot(const RuleInput& input, const Exchange& exchange) {
  const NodeId member = Exchanges::MembersOf(input.graph(), exchange).front();
  return input.graph().KindOf(member).kernel_class == KernelClass::kCustomAllReduce;
}

}  // namespace

LayerTransfers::LayerTransfers(const RuleInput& input) {
  const std::map<std::uint32_t, Dimension> groups = GroupsOfLayers(input);
  const std::set<std::uint32_t> of_data = DataParallelGroups(input);
  const auto& hosts = input.Shared<Hosts>();
  std::map<std::uint32_t, std::size_t> ranks_of_host;
  for (const std::uint32_t host : hosts.of_rank) ++ranks_of_host[host];
  std::size_t room = 0;
  for (const auto& [host, ranks] : ranks_of_host) room = std::max(room, ranks);
  const std::set<std::uint32_t> named = NamedGroupsOfLayers(input);
  const auto only = OnlyDimension(input);
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (!exchange.is_whole || exchange.transfer_ns <= 0 ||
        input.graph().meetings()[exchange.meeting].collective == UINT32_MAX)
      continue;
    std::optional<Dimension> of;
    if (const auto group = groups.find(exchange.group); group != groups.end()) of = group->second;
    const bool may_be_of_only =
        only && (!only->is_by_rest || exchange.op != CollectiveOp::kAllToAll);
    const bool is_of_only = !of && may_be_of_only && exchange.ranks.size() == only->degree &&
                            !of_data.contains(exchange.group);
    if (is_of_only) of = only->dimension;
    // One group may be of data and of experts, as of a world of both.
    if (exchange.op == CollectiveOp::kAllToAll) {
      of = of.value_or(Dimension::kExpert);
    } else if (!of || of_data.contains(exchange.group)) {
      continue;
    }
    const bool is_small = exchange.bytes >= 0 && static_cast<double>(exchange.bytes) <= kSmallBytes;
    LayerTransferKind kind;
    kind.of = *of;
    kind.spans = hosts.Spanned(exchange.ranks) > 1;
    kind.has_room = exchange.ranks.size() <= room;
    kind.is_little =
        exchange.bytes < 0 ? exchange.transfer_ns <= kLittleNs : exchange.bytes <= kLittleBytes;
    if (kind.IsOfLatency() && !is_of_only && !named.contains(exchange.group)) continue;
    // Of small ones it is the latency that costs: small-collectives, where they could be one.
    if (is_small && !kind.IsOfLatency()) continue;
    if (IsOfOneShot(input, exchange)) continue;
    by_kind_[kind].push_back(&exchange);
    if (exchange.counts) ns_of_[kind] += exchange.transfer_ns;
  }
  if (!only || !only->is_by_rest) return;
  const double least = kManyLayers * static_cast<double>(input.counted().size());
  std::erase_if(ns_of_, [&](const auto& one) {
    return one.first.of == only->dimension &&
           static_cast<double>(by_kind_.at(one.first).size()) < least;
  });
}

std::optional<LayerTransferKind> LayerTransfers::Largest(bool of_latency) const {
  std::optional<LayerTransferKind> largest;
  for (const auto& [kind, ns] : ns_of_) {
    if (kind.IsOfLatency() == of_latency && (!largest || ns > ns_of_.at(*largest))) largest = kind;
  }
  return largest;
}

}  // namespace rankscope
