// small-collectives: many collectives too small to use the network.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/transfer_sums.h"
#include "insight/evidence/loss/removal.h"
#include "insight/rules/rules.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// What a transfer takes by its bytes: latency + bytes * per byte, through the smallest and the
// largest size of the group's exchanges of that op.
struct Line {
  double latency_ns = 0;
  double ns_per_byte = 0;
  // The part of a bucket of kBucketBytes that so many bytes are.
  std::int64_t InBucket(std::int64_t bytes) const {
    return static_cast<std::int64_t>(static_cast<double>(bytes) *
                                     (ns_per_byte + latency_ns / kBucketBytes));
  }
};

Line LineThrough(const JobGraph& graph, const std::vector<const Exchange*>& exchanges) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> by_bytes;  // sum and number
  for (const Exchange* exchange : exchanges) {
    auto& [sum, n] = by_bytes[exchange->bytes];
    sum += exchange->transfer_ns;
    ++n;
  }
  const auto mean = [](const std::pair<std::int64_t, std::int64_t>& sum) {
    return static_cast<double>(sum.first) / static_cast<double>(sum.second);
  };
  const auto& [least, shortest] = *by_bytes.begin();
  const auto& [most, longest] = *by_bytes.rbegin();
  if (least == most) {
    const NodeId member = Exchanges::MembersOf(graph, *exchanges.front()).front();
    const double usual =
        IsExchangeOfHosts(graph.KindOf(member)) ? kUsualHostLatencyNs : kUsualLatencyNs;
    const double latency = std::min(mean(shortest), usual);
    return {latency,
            (mean(shortest) - latency) / static_cast<double>(std::max<std::int64_t>(least, 1))};
  }
  Line line;
  line.ns_per_byte =
      std::max(0.0, (mean(longest) - mean(shortest)) / static_cast<double>(most - least));
  line.latency_ns = std::max(0.0, mean(shortest) - line.ns_per_byte * static_cast<double>(least));
  return line;
}

// Exchanges that are one: the last of them, with what all take.
struct Bucket {
  std::int64_t bytes = 0, transfer_ns = 0;
  const Exchange* last = nullptr;
};

using ByGroup = std::map<std::pair<std::uint32_t, CollectiveOp>, std::vector<const Exchange*>>;

// What layers exchange waits for the layer before: no two of these can be one.
ByGroup Mergeable(const RuleInput& input) {
  const std::set<std::uint32_t> of_data = DataParallelGroups(input);
  const std::set<std::uint32_t> of_layers = NamedGroupsOfLayers(input);
  ByGroup by_group;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool merges =
        (exchange.op == CollectiveOp::kAllReduce || exchange.op == CollectiveOp::kReduceScatter ||
         exchange.op == CollectiveOp::kAllGather) &&
        (of_data.contains(exchange.group) || !of_layers.contains(exchange.group));
    if (merges && exchange.bytes > 0) by_group[{exchange.group, exchange.op}].push_back(&exchange);
  }
  return by_group;
}

// Kernels that only SyncBatchNorm runs, one for each exchange of statistics: forward and backward.
bool IsOfSyncBatchNorm(const NodeKind& kind) {
  return kind.work == Work::kCompute && (Contains(kind.op, "batch_norm_gather_stats") ||
                                         Contains(kind.op, "batch_norm_backward_reduce"));
}

// Exchanges of statistics: small ones, as many in a step as such kernels on a rank. They cannot be
// gathered to fewer, as each layer waits for its own.
std::optional<Cause> FindSyncBatchNorm(const RuleInput& input) {
  constexpr std::int64_t kStatisticsBytes = 256 * 1024;
  constexpr double kApart = 0.1;
  const JobGraph& graph = input.graph();
  std::map<std::uint32_t, double> kernels;  // of counted steps, by rank
  std::vector<NodeId> shown;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!IsOfSyncBatchNorm(kind)) return;
    kernels[input.RankOf(node)] += 1;
    shown.push_back(node);
  });
  if (kernels.empty()) return std::nullopt;
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::vector<bool> is_statistics(graph.nodes().size(), false);
  double of_rank = 0;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool is_one =
        (exchange.op == CollectiveOp::kAllReduce || exchange.op == CollectiveOp::kAllGather) &&
        exchange.bytes > 0 && exchange.bytes <= kStatisticsBytes &&
        kernels.contains(exchange.ranks.front());
    if (!is_one) continue;
    if (exchange.counts && exchange.ranks.front() == kernels.begin()->first) of_rank += 1;
    Exchanges::SetTransfer(graph, exchange, 0, without);
    for (const NodeId node : Exchanges::MembersOf(graph, exchange)) {
      without.SetGap(node, std::min<std::int64_t>(without.GapOf(node), 0));
      is_statistics[node] = true;
    }
    sums.Add(exchange, exchange.transfer_ns);
  }
  // Nor does a layer wait then for what stands before its exchange on the stream: buckets of
  // gradients.
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (is_statistics[edges[i].from] && !is_statistics[node])
        without.Cut(graph.nodes()[node].first_edge + i);
    }
  }
  const double expected = kernels.begin()->second;
  if (sums.count() == 0 || std::abs(of_rank - expected) > kApart * expected) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  TellWhere(input, shown, cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "SyncBatchNorm exchanges statistics {}, {} in all, and each layer waits for "
      "its own",
      TimesAStep(sums.PerStep(static_cast<double>(sums.count()))),
      TimeText(static_cast<double>(*cause.lost_ns)));
  cause.why =
      "small all-gathers and all-reduces, one for each kernel of SyncBatchNorm's statistics; "
      "replayed without them";
  cause.recommendation =
      "Use BatchNorm with statistics of each rank alone where a rank's batch is large enough (16 "
      "and more), or a norm that needs no other samples (GroupNorm, LayerNorm); freeze statistics "
      "when fine-tuning. Buckets do not help, as no two exchanges can be one.";
  return cause;
}

std::optional<Cause> FindSmallCollectives(const RuleInput& input) {
  if (std::optional<Cause> cause = FindSyncBatchNorm(input)) return cause;
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::vector<bool> is_gone(graph.nodes().size(), false);
  const auto close = [&](const Bucket& bucket) {
    if (bucket.last == nullptr) return;
    Exchanges::SetTransfer(graph, *bucket.last, bucket.transfer_ns, without);
    for (const NodeId node : Exchanges::MembersOf(graph, *bucket.last)) is_gone[node] = false;
  };
  for (const auto& [group, all] : Mergeable(input)) {
    const Line line = LineThrough(graph, all);
    std::map<std::uint32_t, std::vector<const Exchange*>> by_step;
    for (const Exchange* exchange : all) {
      if (exchange->bytes <= kSmallBytes) by_step[exchange->step].push_back(exchange);
    }
    for (const auto& [step, small] : by_step) {
      if (small.size() < kManySmall) continue;
      Bucket bucket;
      for (const Exchange* exchange : small) {
        const std::int64_t target = line.InBucket(exchange->bytes);
        if (target >= exchange->transfer_ns) continue;
        sums.Add(*exchange, exchange->transfer_ns - target);
        bucket.bytes += exchange->bytes;
        bucket.transfer_ns += target;
        bucket.last = exchange;
        Exchanges::SetTransfer(graph, *exchange, 0, without);
        // Most of them are launched no more, nor wait behind each other.
        for (const NodeId node : Exchanges::MembersOf(graph, *exchange)) {
          without.SetGap(node, std::min<std::int64_t>(without.GapOf(node), 0));
          is_gone[node] = true;
        }
        if (static_cast<double>(bucket.bytes) >= kBucketBytes) close(std::exchange(bucket, {}));
      }
      close(bucket);
    }
  }
  if (sums.count() == 0) return std::nullopt;
  Remove(WithLaunches(graph, std::move(is_gone)), without);
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const auto count = static_cast<double>(sums.count());
  cause.what =
      fmt::format("{} of {} in the mean, {} of it latency",
                  CountAStep(sums.PerStep(count), "small collective").text,
                  HumanBytes(sums.bytes() / count), TimeText(static_cast<double>(*cause.lost_ns)));
  return cause;
}

}  // namespace

const Rule& SmallCollectivesRule() {
  static const Rule kRule{
      .id = "small-collectives",
      .summary = "many collectives too small to use the network",
      .takes = Takes::kTransfer,
      .find = FindSmallCollectives,
      .why =
          "many collectives of one op in one group and step, against a line through their times "
          "by size: what buckets of 25 MB would take",
      .recommendation =
          "Coalesce them: bucket_cap_mb=25 or more (DDP), larger units to wrap (FSDP), "
          "torch.distributed._coalescing_manager or one flat buffer.",
      .command = "rankscope table collective_sizes TRACES",
  };
  return kRule;
}

}  // namespace rankscope
