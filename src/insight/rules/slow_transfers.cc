// slow-link and network-jitter: transfers that take longer than their like.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/median.h"
#include "insight/cause_tools.h"
#include "insight/exchanges.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

std::vector<NodeId> MembersOf(const RuleInput& input, const Exchange& exchange) {
  const auto members = input.graph().MembersOf(input.graph().meetings()[exchange.meeting]);
  return {members.begin(), members.end()};
}

// Exchanges of one op and size are compared between the sets of ranks that do them: how much longer
// those of a set take than those of the fastest quarter of sets.
void FindSlowLink(const RuleInput& input, const Exchanges& exchanges, std::vector<Cause>& causes) {
  std::map<std::vector<std::uint32_t>, std::pair<double, double>> sets;  // own ns, fast ns
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
      auto& [own, usual] = sets[set];
      own += static_cast<double>(median_of[set]) * static_cast<double>(transfers.size());
      usual += fast * static_cast<double>(transfers.size());
    }
  }
  const auto takes_longer = [](const std::pair<double, double>& sums) {
    return sums.first > kSlowLink * sums.second;
  };
  const auto is_slow = [&](const std::pair<double, double>& sums) {
    return takes_longer(sums) &&
           input.ShareOfSteps(static_cast<std::int64_t>(sums.first - sums.second)) > kLowGain;
  };
  // A rank whose every set is slow is where the slow link is. Sets that take longer, but too little
  // time to matter, clear none of theirs.
  std::vector<bool> has_slow(input.ranks(), false), has_fast(input.ranks(), false);
  for (const auto& [set, sums] : sets) {
    for (const std::uint32_t rank : set) {
      if (is_slow(sums)) has_slow[rank] = true;
      if (!takes_longer(sums)) has_fast[rank] = true;
    }
  }
  const std::vector<std::uint32_t> suspects =
      RanksThat(input, [&](std::uint32_t rank) { return has_slow[rank] && !has_fast[rank]; });
  std::vector<std::uint32_t> ranks = suspects;
  if (ranks.empty()) ranks = RanksThat(input, [&](std::uint32_t rank) { return has_slow[rank]; });
  if (ranks.empty()) return;
  double own = 0, usual = 0;
  for (const auto& [set, sums] : sets) {
    if (!is_slow(sums)) continue;
    own += sums.first;
    usual += sums.second;
  }
  Cause cause;
  cause.id = "slow-link";
  cause.tier = Tier::kRoot;
  cause.ranks = ranks;
  Scenario without = input.recorded();
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  for (const Exchange& exchange : exchanges.all()) {
    const auto is_suspect = [&](std::uint32_t rank) {
      return std::binary_search(ranks.begin(), ranks.end(), rank);
    };
    if (std::none_of(exchange.ranks.begin(), exchange.ranks.end(), is_suspect)) continue;
    // Where others do the same, what it takes them; else in proportion.
    std::vector<std::int64_t> elsewhere;
    for (const std::uint32_t i : exchanges.alike()[exchange.like]) {
      const Exchange& other = exchanges.all()[i];
      if (std::none_of(other.ranks.begin(), other.ranks.end(), is_suspect))
        elsewhere.push_back(other.transfer_ns);
    }
    const std::int64_t target =
        elsewhere.empty()
            ? static_cast<std::int64_t>(static_cast<double>(exchange.transfer_ns) * usual / own)
            : std::min(exchange.transfer_ns, MedianOf(elsewhere));
    Exchanges::SetTransfer(input.graph(), exchange, target, without);
    if (!exchange.counts) continue;
    lost += exchange.transfer_ns - target;
    for (const NodeId node : MembersOf(input, exchange)) {
      if (std::binary_search(ranks.begin(), ranks.end(), input.RankOf(node))) nodes.push_back(node);
    }
  }
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) /
                                            static_cast<double>(input.counted().size()));
  cause.what =
      fmt::format("transfers of {} take x{:.2f} as long as the same transfers among other ranks",
                  WhoText(input, ranks), own / usual);
  cause.why =
      "transfers (from the last member's arrival on, so that nobody's lateness counts) of one op "
      "and size, compared between the process groups of one kind";
  cause.recommendation =
      "Look at the links of these ranks: NIC errors and rate (ethtool -S, ibstat), NVLink state "
      "(nvidia-smi nvlink -s), the switch port, NCCL_IB_HCA and NCCL's log of the transport; run "
      "nccl-tests between these hosts and others.";
  cause.command = "rankscope table collective_sizes TRACES";
  causes.push_back(std::move(cause));
}

void FindJitter(const RuleInput& input, const Exchanges& exchanges, std::vector<Cause>& causes) {
  Cause cause;
  cause.id = "network-jitter";
  cause.tier = Tier::kRoot;
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks, steps;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  std::size_t count = 0, of = 0;
  // By the ranks that take part, since a slow link is no jitter; sizes within a fifth are alike.
  std::map<std::tuple<std::vector<std::uint32_t>, CollectiveOp, int>, std::vector<std::uint32_t>>
      alike;
  for (std::uint32_t i = 0; i < exchanges.all().size(); ++i) {
    const Exchange& exchange = exchanges.all()[i];
    const int size =
        exchange.bytes <= 0
            ? -1
            : static_cast<int>(std::log(static_cast<double>(exchange.bytes)) / std::log(1.2));
    if (exchange.counts) alike[{exchange.ranks, exchange.op, size}].push_back(i);
  }
  {
    for (const auto& [key, members] : alike) {
      const std::vector<std::uint32_t>& set = std::get<0>(key);
      if (members.size() < kEnoughLike) continue;
      const std::int64_t usual = exchanges.MedianTransfer(members);
      of += members.size();
      for (const std::uint32_t i : members) {
        const Exchange& exchange = exchanges.all()[i];
        if (static_cast<double>(exchange.transfer_ns) < kJitterTimes * static_cast<double>(usual) ||
            static_cast<double>(exchange.transfer_ns - usual) < kLeastJitterNs)
          continue;
        Exchanges::SetTransfer(input.graph(), exchange, usual, without);
        lost += exchange.transfer_ns - usual;
        ++count;
        ranks.insert(set.begin(), set.end());
        steps.insert(exchange.step);
        const std::vector<NodeId> of_exchange = MembersOf(input, exchange);
        nodes.insert(nodes.end(), of_exchange.begin(), of_exchange.end());
      }
    }
  }
  if (count < 2) return;
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.steps.assign(steps.begin(), steps.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) /
                                            static_cast<double>(input.counted().size()));
  cause.what = fmt::format("{} of {} transfers take {} longer than their like, {} in the mean",
                           count, of, fmt::format("x{:.0f} and more", kJitterTimes),
                           TimeText(static_cast<double>(lost) / static_cast<double>(count)));
  cause.why =
      "transfers (from the last member's arrival on) of one op and size among the same ranks, "
      "against their median";
  cause.recommendation =
      "Look for other traffic on the same links, turn on adaptive routing and congestion control, "
      "and check NICs for retransmissions (ethtool -S, RDMA counters).";
  cause.command = "rankscope table collectives TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const Exchanges exchanges(input);
  FindSlowLink(input, exchanges, causes);
  FindJitter(input, exchanges, causes);
}

}  // namespace

const Rule& SlowTransfersRule() {
  static const Rule kRule{.ids = {"slow-link", "network-jitter"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
