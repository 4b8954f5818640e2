// small-collectives and redundant-collectives: more of them than the step needs.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "insight/cause_tools.h"
#include "insight/exchanges.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// What a transfer takes by its bytes: latency + bytes * per byte, through the smallest and the
// largest size of the group's exchanges of that op.
struct Line {
  double latency_ns = 0;
  double ns_per_byte = 0;
};

Line LineThrough(const std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>& by_bytes) {
  const auto mean = [](const std::pair<std::int64_t, std::int64_t>& sum) {
    return static_cast<double>(sum.first) / static_cast<double>(sum.second);
  };
  const auto& [least, shortest] = *by_bytes.begin();
  const auto& [most, longest] = *by_bytes.rbegin();
  if (least == most) {
    const double latency = std::min(mean(shortest), kUsualLatencyNs);
    return {latency,
            (mean(shortest) - latency) / static_cast<double>(std::max<std::int64_t>(least, 1))};
  }
  Line line;
  line.ns_per_byte =
      std::max(0.0, (mean(longest) - mean(shortest)) / static_cast<double>(most - least));
  line.latency_ns = std::max(0.0, mean(shortest) - line.ns_per_byte * static_cast<double>(least));
  return line;
}

void AddNodes(const RuleInput& input, const Exchange& exchange, std::vector<NodeId>& nodes) {
  if (!exchange.counts) return;
  const auto members = input.graph().MembersOf(input.graph().meetings()[exchange.meeting]);
  nodes.insert(nodes.end(), members.begin(), members.end());
}

void FindSmall(const RuleInput& input, const Exchanges& exchanges, std::vector<Cause>& causes) {
  std::map<std::pair<std::uint32_t, CollectiveOp>, std::vector<const Exchange*>> by_group;
  for (const Exchange& exchange : exchanges.all()) {
    const bool merges = exchange.op == CollectiveOp::kAllReduce ||
                        exchange.op == CollectiveOp::kReduceScatter ||
                        exchange.op == CollectiveOp::kAllGather;
    if (merges && exchange.bytes > 0) by_group[{exchange.group, exchange.op}].push_back(&exchange);
  }
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0, bytes = 0;
  std::size_t count = 0;
  for (const auto& [group, all] : by_group) {
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> by_bytes;
    std::map<std::uint32_t, std::vector<const Exchange*>> by_step;
    for (const Exchange* exchange : all) {
      auto& [sum, n] = by_bytes[exchange->bytes];
      sum += exchange->transfer_ns;
      ++n;
      if (exchange->bytes <= kSmallBytes) by_step[exchange->step].push_back(exchange);
    }
    const Line line = LineThrough(by_bytes);
    for (const auto& [step, small] : by_step) {
      if (small.size() < kManySmall) continue;
      for (const Exchange* exchange : small) {
        // Its part of a bucket of kBucketBytes.
        const double part = static_cast<double>(exchange->bytes);
        const auto target =
            static_cast<std::int64_t>(part * (line.ns_per_byte + line.latency_ns / kBucketBytes));
        if (target >= exchange->transfer_ns) continue;
        Exchanges::SetTransfer(input.graph(), *exchange, target, without);
        // Most of them are launched no more, nor wait behind each other.
        for (const NodeId node :
             input.graph().MembersOf(input.graph().meetings()[exchange->meeting]))
          without.SetGap(node, std::min<std::int64_t>(without.GapOf(node), 0));
        if (!exchange->counts) continue;
        AddNodes(input, *exchange, nodes);
        ranks.insert(exchange->ranks.begin(), exchange->ranks.end());
        lost += exchange->transfer_ns - target;
        bytes += exchange->bytes;
        ++count;
      }
    }
  }
  if (nodes.empty()) return;
  Cause cause;
  cause.id = "small-collectives";
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const auto steps = static_cast<double>(input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / steps);
  cause.what =
      fmt::format("{:.0f} small collectives a step of {:.3g} MB in the mean, {} of it latency",
                  static_cast<double>(count) / steps,
                  static_cast<double>(bytes) / 1e6 / static_cast<double>(count),
                  TimeText(static_cast<double>(*cause.lost_ns)));
  cause.why =
      "many collectives of one op in one group and step, against a line through their times "
      "by size: what buckets of 25 MB would take";
  cause.recommendation =
      "Coalesce them: bucket_cap_mb=25 or more (DDP), larger units to wrap (FSDP), "
      "torch.distributed._coalescing_manager or one flat buffer.";
  cause.command = "rankscope table collective_sizes TRACES";
  causes.push_back(std::move(cause));
}

void FindRedundant(const RuleInput& input, const Exchanges& exchanges, std::vector<Cause>& causes) {
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks, steps;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  std::size_t count = 0;
  double bytes = 0;
  for (const Exchange& exchange : exchanges.all()) {
    if (exchange.op != CollectiveOp::kBroadcast || exchange.bytes < kBroadcastBytes) continue;
    // From trainers to generators go weights that these do not have.
    const auto role_of = [&](std::uint32_t rank) {
      return input.across().layout().places[rank].role;
    };
    if (std::any_of(exchange.ranks.begin(), exchange.ranks.end(), [&](std::uint32_t rank) {
          return role_of(rank) != role_of(exchange.ranks.front());
        }))
      continue;
    Exchanges::SetTransfer(input.graph(), exchange, 0, without);
    if (!exchange.counts) continue;
    AddNodes(input, exchange, nodes);
    ranks.insert(exchange.ranks.begin(), exchange.ranks.end());
    steps.insert(exchange.step);
    lost += exchange.transfer_ns;
    bytes += static_cast<double>(exchange.bytes);
    ++count;
  }
  // Once is a start; in every step it is a habit.
  if (steps.empty() || steps.size() < input.counted().size()) return;
  Cause cause;
  cause.id = "redundant-collectives";
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const auto n = static_cast<double>(input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / n);
  cause.what = fmt::format("{:.3g} broadcasts a step move {:.3g} MB that the ranks had before",
                           static_cast<double>(count) / n, bytes / 1e6 / n);
  cause.why = "broadcasts of the same sizes in every step of training";
  cause.recommendation =
      "DistributedDataParallel(..., broadcast_buffers=False), or broadcast buffers only when they "
      "change; cache what is gathered again.";
  cause.command = "rankscope table collective_sizes TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const Exchanges exchanges(input);
  FindSmall(input, exchanges, causes);
  FindRedundant(input, exchanges, causes);
}

}  // namespace

const Rule& CollectiveCountRule() {
  static const Rule kRule{
      .ids = {"small-collectives", "redundant-collectives"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
