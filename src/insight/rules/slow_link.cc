// slow-link: the transfers of some ranks take longer than the same transfers of others.
//
// Exchanges of one op and size are compared between the sets of ranks that do them: how much longer
// those of a set take than those of the fastest quarter of sets.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/exchanges.h"
#include "insight/evidence/setting/hosts.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

struct Transfers {
  double own_ns = 0;
  double fast_ns = 0;  // what the fastest quarter takes for them
  bool TakeLonger() const { return own_ns > kSlowLink * fast_ns; }
  bool AreSlow(const RuleInput& input) const {
    return TakeLonger() &&
           input.ShareOfSteps(static_cast<std::int64_t>(own_ns - fast_ns)) > kLowGain;
  }
};
using TransfersOfSets = std::map<std::vector<std::uint32_t>, Transfers>;

TransfersOfSets CompareSets(const Exchanges& exchanges) {
  TransfersOfSets sets;
  for (const std::vector<std::uint32_t>& alike : exchanges.alike()) {
    std::map<std::vector<std::uint32_t>, std::vector<std::int64_t>> by_set;
    for (const std::uint32_t i : alike)
      by_set[exchanges.all()[i].ranks].push_back(exchanges.all()[i].transfer_ns);
    if (by_set.size() < 2) continue;
    std::vector<std::int64_t> medians;
    std::map<std::vector<std::uint32_t>, std::int64_t> median_of;
    for (auto& [set, transfers] : by_set) {
      median_of[set] = MedianOf(transfers);
      medians.push_back(median_of[set]);
    }
    std::sort(medians.begin(), medians.end());
    const auto fast = static_cast<double>(medians[(medians.size() - 1) / 4]);
    for (const auto& [set, transfers] : by_set) {
      Transfers& sums = sets[set];
      sums.own_ns += static_cast<double>(median_of[set]) * static_cast<double>(transfers.size());
      sums.fast_ns += fast * static_cast<double>(transfers.size());
    }
  }
  return sets;
}

std::vector<std::span<const std::uint32_t>> SlowSets(const RuleInput& input,
                                                     const TransfersOfSets& sets) {
  std::vector<std::span<const std::uint32_t>> slow;
  for (const auto& [set, sums] : sets) {
    if (sums.AreSlow(input)) slow.emplace_back(set);
  }
  return slow;
}

// Of suspects the one that all slow sets share, or those on the one host that they share: it
// explains them all, and the others are slow with it. All suspects where a single set is slow or
// none is shared.
std::vector<std::uint32_t> SharedBy(const RuleInput& input,
                                    const std::vector<std::span<const std::uint32_t>>& slow_sets,
                                    std::vector<std::uint32_t> suspects) {
  if (slow_sets.size() < 2) return suspects;
  const std::vector<std::uint32_t>& host_of = input.Shared<Hosts>().of_rank;
  const auto in_all = [&](const auto& is_one) {
    return std::all_of(slow_sets.begin(), slow_sets.end(), [&](const auto& set) {
      return std::any_of(set.begin(), set.end(), is_one);
    });
  };
  std::vector<std::uint32_t> shared;
  std::set<std::uint32_t> shared_hosts;
  for (const std::uint32_t one : suspects) {
    if (in_all([&](std::uint32_t rank) { return rank == one; })) shared.push_back(one);
    if (in_all([&](std::uint32_t rank) { return host_of[rank] == host_of[one]; }))
      shared_hosts.insert(host_of[one]);
  }
  if (shared.size() == 1) return shared;
  if (shared_hosts.size() != 1) return suspects;
  std::erase_if(suspects,
                [&](std::uint32_t rank) { return host_of[rank] != *shared_hosts.begin(); });
  return suspects;
}

// The ranks whose every set is slow: there the slow link is. Sets that take longer, but too little
// time to matter, clear none of theirs. Without such ranks, all of slow sets.
std::vector<std::uint32_t> Suspects(const RuleInput& input, const TransfersOfSets& sets) {
  std::vector<bool> has_slow(input.ranks(), false), has_fast(input.ranks(), false);
  for (const auto& [set, sums] : sets) {
    for (const std::uint32_t rank : set) {
      if (sums.AreSlow(input)) has_slow[rank] = true;
      if (!sums.TakeLonger()) has_fast[rank] = true;
    }
  }
  std::vector<std::uint32_t> ranks =
      RanksThat(input, [&](std::uint32_t rank) { return has_slow[rank] && !has_fast[rank]; });
  if (ranks.empty()) ranks = RanksThat(input, [&](std::uint32_t rank) { return has_slow[rank]; });
  return SharedBy(input, SlowSets(input, sets), std::move(ranks));
}

std::optional<Cause> FindSlowLink(const RuleInput& input) {
  const auto& exchanges = input.Shared<Exchanges>();
  const TransfersOfSets sets = CompareSets(exchanges);
  const std::vector<std::uint32_t> ranks = Suspects(input, sets);
  if (ranks.empty()) return std::nullopt;
  Transfers slow;
  for (const auto& [set, sums] : sets) {
    if (!sums.AreSlow(input)) continue;
    slow.own_ns += sums.own_ns;
    slow.fast_ns += sums.fast_ns;
  }
  const auto is_suspect = [&](std::uint32_t rank) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  };
  const auto is_clear = [&](const Exchange& exchange) {
    return std::none_of(exchange.ranks.begin(), exchange.ranks.end(), is_suspect);
  };
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  for (const Exchange& exchange : exchanges.all()) {
    if (is_clear(exchange)) continue;
    // Where others do the same, what it takes them; else in proportion.
    std::vector<std::int64_t> elsewhere;
    for (const std::uint32_t i : exchanges.alike()[exchange.like]) {
      if (is_clear(exchanges.all()[i])) elsewhere.push_back(exchanges.all()[i].transfer_ns);
    }
    const std::int64_t target =
        elsewhere.empty() ? static_cast<std::int64_t>(static_cast<double>(exchange.transfer_ns) *
                                                      slow.fast_ns / slow.own_ns)
                          : std::min(exchange.transfer_ns, MedianOf(elsewhere));
    Exchanges::SetTransfer(input.graph(), exchange, target, without);
    if (!exchange.counts) continue;
    lost += exchange.transfer_ns - target;
    for (const NodeId node : Exchanges::MembersOf(input.graph(), exchange)) {
      if (is_suspect(input.RankOf(node))) nodes.push_back(node);
    }
  }
  Cause cause;
  cause.ranks = ranks;
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) /
                                            static_cast<double>(input.counted().size()));
  cause.what =
      fmt::format("transfers of {} are {:.2f}x slower than the same transfers among other ranks",
                  WhoText(input, ranks), slow.own_ns / slow.fast_ns);
  return cause;
}

constexpr std::array<Advice, 1> kSlowLinkAdvice = {{
    {[](const Setting& of) { return of.IsAmd(); },
     "Look at the links of these ranks: NIC errors and rate (ethtool -S, ibstat), xGMI links "
     "(amd-smi xgmi, rocm-smi --showtopo), the switch port, and RCCL's log of the transport "
     "(NCCL_DEBUG=INFO); run rccl-tests between these hosts and others."},
}};

}  // namespace

const Rule& SlowLinkRule() {
  static const Rule kRule{
      .id = "slow-link",
      .summary = "a group communicates slowly though all arrive together",
      .tier = Tier::kRoot,
      .takes = Takes::kTransfer,
      .needs = RuleNeeds::kSeveralGroups,
      .find = FindSlowLink,
      .why =
          "transfers (from the last member's arrival on, so that nobody's lateness counts) of one "
          "op and size, compared between the process groups of one kind",
      .recommendation =
          "Look at the links of these ranks: NIC errors and rate (ethtool -S, ibstat), NVLink "
          "state (nvidia-smi nvlink -s), the switch port, NCCL_IB_HCA and NCCL's log of the "
          "transport; run nccl-tests between these hosts and others.",
      .command = "rankscope table collective_sizes TRACES",
      .advice = kSlowLinkAdvice,
  };
  return kRule;
}

}  // namespace rankscope
