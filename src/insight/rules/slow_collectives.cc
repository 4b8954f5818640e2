// slow-collectives: collectives take far longer than their bytes explain, in every step.
//
// Not against others of their kind (slow-link, network-jitter) but against what a slow network
// would need: where all are slow alike, comparison says nothing.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/communication/link_use.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/setting/hosts.h"
#include "insight/rules/rules.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// Within a host whose links are known, a part of what they bear that PCIe reaches, too; over a
// network of which nothing is known 10 Gbit/s.
constexpr double kNetworkBytesPerS = 1.25e9;
constexpr double kLatencyWithinNs = 100e3;
constexpr double kLatencyBetweenNs = 500e3;
// It is slow from so many times that on.
constexpr double kSlowOnLinks = 1.2, kSlowOnNetwork = 2;
constexpr double kUsualLatencyOfLinksNs = 20e3;

// Whose size alone tells what it needs: uneven all-to-alls and sends wait for each other inside.
bool TellsByBytes(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter ||
         op == CollectiveOp::kAllGather || op == CollectiveOp::kBroadcast ||
         op == CollectiveOp::kReduce;
}

// What an exchange takes at least that is slow, and usually, in ns; 0 where that is not known.
struct Times {
  double slow = 0, usual = 0;
  bool is_on_links = false;  // of a host, which are known
};

class TimesOf {
 public:
  explicit TimesOf(const RuleInput& input) : input_(input), peaks_(PeaksOfRanks(input)) {}

  Times operator()(const Exchange& exchange) const {
    const NodeId member = Exchanges::MembersOf(input_.graph(), exchange).front();
    if (!exchange.is_whole || exchange.bytes <= 0 || !TellsByBytes(exchange.op) ||
        exchange.ranks.size() < 2 || IsExchangeOfHosts(input_.graph().KindOf(member)))
      return {};
    const double bus_bytes =
        static_cast<double>(exchange.bytes) *
        BusFactor(exchange.op, static_cast<std::int64_t>(exchange.ranks.size()));
    const std::optional<double> link = LinkUse::PeakOf(peaks_, exchange);
    if (link && input_.Shared<Hosts>().AreOnOne(exchange.ranks))
      return {.slow = kSlowOnLinks * (kLatencyWithinNs + 1e9 * bus_bytes / (kLowLinkUse * *link)),
              .usual = kUsualLatencyOfLinksNs + 1e9 * bus_bytes / (kUsualLinkUse * *link),
              .is_on_links = true};
    const double usual = kLatencyBetweenNs + 1e9 * bus_bytes / kNetworkBytesPerS;
    return {.slow = kSlowOnNetwork * usual, .usual = usual};
  }

 private:
  const RuleInput& input_;
  std::vector<const DevicePeaks*> peaks_;
};

std::optional<Cause> FindSlowCollectives(const RuleInput& input) {
  const auto& exchanges = input.Shared<Exchanges>();
  const TimesOf times_of(input);
  Scenario without = input.recorded();
  TransferSums sums(input);
  const Exchange* worst = nullptr;
  std::map<std::uint32_t, std::int64_t> lost_of;  // by `like`
  for (const std::vector<std::uint32_t>& alike : exchanges.alike()) {
    // A single one may set up its communicator.
    if (2 * alike.size() < input.counted().size() || alike.size() < 3) continue;
    const Exchange& first = exchanges.all()[alike.front()];
    const double slow = times_of(first).slow;
    if (slow <= 0 || static_cast<double>(exchanges.MedianTransfer(alike)) <= slow) continue;
    lost_of[first.like] = 0;
  }
  if (lost_of.empty()) return std::nullopt;
  for (const Exchange& exchange : exchanges.all()) {
    const auto of = lost_of.find(exchange.like);
    const auto target = static_cast<std::int64_t>(times_of(exchange).usual);
    if (of == lost_of.end() || target <= 0 || exchange.transfer_ns <= target) continue;
    Exchanges::SetTransfer(input.graph(), exchange, target, without);
    sums.Add(exchange, exchange.transfer_ns - target);
    if (!exchange.counts) continue;
    of->second += exchange.transfer_ns - target;
    if (worst == nullptr || of->second > lost_of.at(worst->like)) worst = &exchange;
  }
  if (worst == nullptr) return std::nullopt;
  const std::int64_t usual = exchanges.MedianTransfer(exchanges.alike()[worst->like]);
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  const Times times = times_of(*worst);
  cause.what = fmt::format(
      "{} of {} take{} {} in {}: {} for that",
      lost_of.size() > 1 ? "collectives, above all " + std::string(ToString(worst->op))
                         : std::string(ToString(worst->op)),
      HumanBytes(static_cast<double>(worst->bytes)), lost_of.size() > 1 ? "" : "s",
      TimeText(static_cast<double>(usual)),
      input.across().collectives().groups()[worst->group].Kind(),
      times.is_on_links ? fmt::format("links of such hosts usually take {}", TimeText(times.usual))
                        : fmt::format("a slow network takes {}", TimeText(times.usual)));
  return cause;
}

}  // namespace

const Rule& SlowCollectivesRule() {
  static const Rule kRule{
      .id = "slow-collectives",
      .summary = "collectives take far longer than their bytes explain",
      .tier = Tier::kNature,
      .takes = Takes::kTransfer,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindSlowCollectives,
      .why =
          "transfers without waiting for late ranks, in most steps far more than bytes and latency "
          "need: within a host 1.2 times 100 us and 15% of what its links bear, replayed at 60% of "
          "that; else twice 500 us and 10 Gbit/s, replayed with these",
      .recommendation =
          "See which way they take: NCCL_DEBUG=INFO (via P2P, SHM, NET/IB or NET/Socket; with "
          "GDRDMA or without), NCCL_DEBUG_SUBSYS=INIT,NET,TUNING for algorithm and protocol; "
          "NCCL_SOCKET_IFNAME and NCCL_IB_HCA name the fast network; nccl-tests on the same hosts "
          "say what it can. NCCL's own threads need cores that the job leaves free.",
      .command = "rankscope table collective_sizes TRACES",
  };
  return kRule;
}

}  // namespace rankscope
