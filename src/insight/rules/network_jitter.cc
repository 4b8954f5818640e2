// network-jitter: single transfers take far longer than their like.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <tuple>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// The exchanges that count by the ranks that take part, since a slow link is no jitter, and op;
// sizes within a fifth are alike.
using Alike =
    std::map<std::tuple<std::vector<std::uint32_t>, CollectiveOp, int>, std::vector<std::uint32_t>>;

Alike AlikeOf(const Exchanges& exchanges) {
  Alike alike;
  for (std::uint32_t i = 0; i < exchanges.all().size(); ++i) {
    const Exchange& exchange = exchanges.all()[i];
    const int size =
        exchange.bytes <= 0
            ? -1
            : static_cast<int>(std::log(static_cast<double>(exchange.bytes)) / std::log(1.2));
    // Of one whose member was not recorded nobody knows when it came.
    if (exchange.counts && exchange.is_whole)
      alike[{exchange.ranks, exchange.op, size}].push_back(i);
  }
  return alike;
}

bool IsSlow(const Exchange& exchange, std::int64_t usual) {
  return static_cast<double>(exchange.transfer_ns) >= kJitterTimes * static_cast<double>(usual) &&
         static_cast<double>(exchange.transfer_ns - usual) >= kLeastJitterNs;
}

// The exchanges at one place of the step.
struct SlowAtPlace {
  std::size_t slow = 0, all = 0;
  // One that is slow in most steps is no jitter.
  bool IsUsual() const { return all > 2 && 2 * slow > all; }
};

std::uint64_t PlaceOf(const RuleInput& input, const Exchange& exchange) {
  return input.graph().PlaceOf(Exchanges::MembersOf(input.graph(), exchange).front());
}

std::map<std::uint64_t, SlowAtPlace> SlowByPlace(const RuleInput& input,
                                                 const std::vector<std::uint32_t>& members,
                                                 std::int64_t usual) {
  std::map<std::uint64_t, SlowAtPlace> places;
  for (const std::uint32_t i : members) {
    const Exchange& exchange = input.Shared<Exchanges>().all()[i];
    SlowAtPlace& at = places[PlaceOf(input, exchange)];
    ++at.all;
    at.slow += IsSlow(exchange, usual) ? 1 : 0;
  }
  return places;
}

std::optional<Cause> FindNetworkJitter(const RuleInput& input) {
  const auto& exchanges = input.Shared<Exchanges>();
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::size_t compared = 0;
  for (const auto& [key, members] : AlikeOf(exchanges)) {
    if (members.size() < kEnoughLike) continue;
    const std::int64_t usual = exchanges.MedianTransfer(members);
    compared += members.size();
    const std::map<std::uint64_t, SlowAtPlace> places = SlowByPlace(input, members, usual);
    for (const std::uint32_t i : members) {
      const Exchange& exchange = exchanges.all()[i];
      if (!IsSlow(exchange, usual) || places.at(PlaceOf(input, exchange)).IsUsual()) continue;
      Exchanges::SetTransfer(input.graph(), exchange, usual, without);
      sums.Add(exchange, exchange.transfer_ns - usual);
    }
  }
  if (sums.count() == 0) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.steps.assign(sums.steps().begin(), sums.steps().end());
  cause.without = std::move(without);
  cause.what = fmt::format("{} of {} transfers take{} {} longer than their like, {} in the mean",
                           sums.count(), compared, sums.count() == 1 ? "s" : "",
                           fmt::format("x{:.0f} and more", kJitterTimes),
                           TimeText(sums.lost_ns() / static_cast<double>(sums.count())));
  return cause;
}

}  // namespace

const Rule& NetworkJitterRule() {
  static const Rule kRule{
      .id = "network-jitter",
      .summary = "single collectives take far longer than their like",
      .tier = Tier::kRoot,
      .takes = Takes::kTransfer,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindNetworkJitter,
      .why =
          "transfers (from the last member's arrival on) of one op and size among the same ranks, "
          "against their median",
      .recommendation =
          "Look for other traffic on the same links, turn on adaptive routing and congestion "
          "control, and check NICs for retransmissions (ethtool -S, RDMA counters).",
      .command = "rankscope table collectives TRACES",
  };
  return kRule;
}

}  // namespace rankscope
