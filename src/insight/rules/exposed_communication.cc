// exposed-communication: traffic of data parallelism, which computing could hide, that nothing
// hides.
//
// Gradients may be reduced while the backward still computes those of earlier layers, and shards of
// parameters gathered while the layers before are computed: all but the last reduction and the
// first gathering of a step can be hidden, as far as there is computing to hide them behind.
// Communication inside a layer (tensor, expert, context parallel) is needed at once.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/evidence/hosts.h"
#include "insight/evidence/link_use.h"
#include "insight/evidence/node_sums.h"
#include "insight/evidence/roof.h"
#include "insight/evidence/transfer_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A reduction of less than this part of the largest one of its group and step is of no gradients.
constexpr std::int64_t kTinyOfLargest = 50;

// Of a step: less that comes and goes is no waiting for a late rank.
constexpr double kLeastWaiting = 0.03;

// So many others of its kind in a step tell what a collective may take.
constexpr std::size_t kEnoughAlike = 2;

// Whether it is not known of a communication node when all of its partners came.
bool IsAlone(const RuleInput& input, NodeId node) {
  const JobGraph& graph = input.graph();
  if (graph.KindOf(node).work != Work::kCommunication || graph.StepOf(node) == kNoStep)
    return false;
  const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
  if (rendezvous == kNoRendezvous) return true;
  const std::uint32_t number = graph.meetings()[rendezvous].collective;
  if (number == UINT32_MAX) return false;
  const JobCollectives& all = input.across().collectives();
  const JobCollective& collective = all.collectives()[number];
  return all.LacksMembers(collective);
}

// Most of the time of communication is of such nodes.
bool MostIsAlone(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::int64_t all_ns = 0, alone_ns = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCommunication) return;
    all_ns += graph.nodes()[node].duration_ns;
    if (IsAlone(input, node)) alone_ns += graph.nodes()[node].duration_ns;
  });
  return 2 * alone_ns > all_ns;
}

// What each rank communicates first and last in a step (a gathering, a reduction), which no
// computing hides: the node, and the longest other one of its kind in that step. It is part of a
// healthy step so far as it takes no longer than the others, which computing may have hidden.
std::map<NodeId, std::int64_t> EndsOfSteps(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  using RankStep = std::pair<std::uint32_t, std::uint32_t>;
  std::map<RankStep, std::vector<NodeId>> alone;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (IsAlone(input, node)) alone[{input.RankOf(node), graph.StepOf(node)}].push_back(node);
  }
  std::map<NodeId, std::int64_t> longest;
  for (const auto& [where, nodes] : alone) {
    const auto first = *std::ranges::min_element(
        nodes, {}, [&](NodeId node) { return input.now().BeginOf(node); });
    const auto last =
        *std::ranges::max_element(nodes, {}, [&](NodeId node) { return input.now().EndOf(node); });
    for (const NodeId end : {first, last}) {
      std::int64_t most = 0;
      std::size_t alike = 0;
      for (const NodeId node : nodes) {
        if (node == end || &graph.KindOf(node) != &graph.KindOf(end)) continue;
        most = std::max<std::int64_t>(most, graph.nodes()[node].duration_ns);
        ++alike;
      }
      if (alike >= kEnoughAlike) longest.emplace(end, most);
    }
  }
  return longest;
}

// Of such a node; UINT32_MAX: not known.
std::uint32_t GroupOf(const RuleInput& input, NodeId node) {
  const JobGraph& graph = input.graph();
  const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
  if (rendezvous == kNoRendezvous) return UINT32_MAX;
  const std::uint32_t number = graph.meetings()[rendezvous].collective;
  return number == UINT32_MAX ? UINT32_MAX
                              : input.across().collectives().collectives()[number].group;
}

// Whether, of most of the time of such nodes, most members were recorded: then whoever comes late
// probably was, too.
bool MostMembersWereRecorded(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const JobCollectives& all = input.across().collectives();
  std::int64_t all_ns = 0, recorded_ns = 0;
  input.ForEach([&](NodeId node, const NodeKind&) {
    if (!IsAlone(input, node)) return;
    all_ns += graph.nodes().DurationOf(node);
    const std::uint32_t rendezvous = graph.nodes()[node].rendezvous;
    if (rendezvous == kNoRendezvous) return;
    const JobCollective& collective = all.collectives()[graph.meetings()[rendezvous].collective];
    if (2 * static_cast<std::int64_t>(collective.count) > all.SizeOf(collective))
      recorded_ns += graph.nodes().DurationOf(node);
  });
  return 2 * recorded_ns > all_ns;
}

// What the job gains where each takes as long as the shortest one of its kind: waiting for somebody
// comes and goes, transfers stay.
double GainOfSteady(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::map<const NodeKind*, std::int64_t> shortest;
  const auto for_each = [&](const auto& visit) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (IsAlone(input, node)) visit(node, &graph.KindOf(node), graph.nodes().DurationOf(node));
    }
  };
  for_each([&](NodeId, const NodeKind* kind, std::int64_t ns) {
    const auto [found, is_new] = shortest.try_emplace(kind, ns);
    found->second = std::min(found->second, ns);
  });
  Scenario steady = input.recorded();
  for_each([&](NodeId node, const NodeKind* kind, std::int64_t) {
    steady.SetDuration(node, shortest.at(kind));
  });
  return input.GainOf(steady);
}

// Of ranks whose partners were not recorded: how much of it is waiting for them, nobody knows.
std::optional<Cause> FindAlone(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  // Where nobody seems to be late, what layers exchange is needed (exposed-transfer).
  const bool is_steady = MostMembersWereRecorded(input) && GainOfSteady(input) < kLeastWaiting;
  const std::set<std::uint32_t> data_parallel = DataParallelGroups(input);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!IsAlone(input, node) || (is_steady && !data_parallel.contains(GroupOf(input, node))))
      continue;
    without.SetDuration(node, 0);
    sums.Add(node, 0);
  }
  if (sums.empty()) return std::nullopt;
  for (const auto& [node, most_ns] : EndsOfSteps(input)) {
    const std::int64_t duration_ns = graph.nodes()[node].duration_ns;
    without.SetDuration(node, std::min(duration_ns, most_ns));
  }
  Cause cause;
  sums.TellIn(cause);
  cause.gain = std::max(0.0, input.GainOf(without));
  cause.gain_method = "bound";
  cause.confidence = 0.4;
  cause.lost_ns = static_cast<std::int64_t>(*cause.gain * input.step_ns());
  cause.what = fmt::format(
      "communication that is not hidden by computing costs up to {} a step; other ranks were not "
      "recorded, so how much of it is waiting for them is not known",
      TimeText(static_cast<double>(*cause.lost_ns)));
  cause.why =
      "replayed with communication taking no time, but for the first and last of a step as far as "
      "these take no longer than the others: more than can be had";
  cause.recommendation =
      "Record all ranks of the job (or one host's), to tell waiting for a late rank from slow "
      "transfers; then see rankscope explain exposed-communication.";
  cause.command = "rankscope table overlap TRACES";
  return cause;
}

// One reduction of nearly all gradients of the step, far larger than a bucket: all but a bucket of
// it could have begun during the backward.
constexpr double kNearlyAllExposed = 0.8;
constexpr std::int64_t kBucket = 25'000'000;
constexpr std::int64_t kManyBuckets = 4;

bool IsGiantBucket(const std::vector<const Exchange*>& of_step) {
  std::int64_t all = 0;
  for (const Exchange* exchange : of_step) all += exchange->bytes;
  return of_step.back()->bytes >= kManyBuckets * kBucket &&
         static_cast<double>(of_step.back()->bytes) >= kNearlyAllExposed * static_cast<double>(all);
}

// What could be hidden of the traffic of one group of data parallelism in one step and direction.
struct HideableOfStep {
  std::vector<const Exchange*> exchanges;
  const Exchange* giant = nullptr;  // of these, of which the last bucket is needed

  // How much of it has to be exposed.
  double NeededPart(const Exchange* exchange) const {
    return exchange == giant ? static_cast<double>(kBucket) / static_cast<double>(exchange->bytes)
                             : 0;
  }
};

std::vector<HideableOfStep> Hideable(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::set<std::uint32_t> groups = DataParallelGroups(input);
  std::vector<HideableOfStep> hideable;
  if (groups.empty()) return hideable;
  const auto begin_of = [&](const Exchange& exchange) {
    return input.now().BeginOf(Exchanges::MembersOf(graph, exchange).front());
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<const Exchange*>> by_step;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool gathers = exchange.op == CollectiveOp::kAllGather;
    if (groups.contains(exchange.group) && (gathers || IsOfGradients(exchange.op)) &&
        graph.meetings()[exchange.meeting].collective != UINT32_MAX)
      by_step[{exchange.group, exchange.step, gathers}].push_back(&exchange);
  }
  for (auto& [where, of_step] : by_step) {
    // A loss or a norm that is reduced is no bucket: it neither counts as the last one nor hides.
    std::int64_t most = 0;
    for (const Exchange* exchange : of_step) most = std::max(most, exchange->bytes);
    std::erase_if(of_step, [&](const Exchange* exchange) {
      return exchange->bytes >= 0 && kTinyOfLargest * exchange->bytes < most;
    });
    if (of_step.empty()) continue;
    std::sort(of_step.begin(), of_step.end(),
              [&](const Exchange* a, const Exchange* b) { return begin_of(*a) < begin_of(*b); });
    const bool gathers = std::get<2>(where);
    const Exchange* const giant = !gathers && IsGiantBucket(of_step) ? of_step.back() : nullptr;
    if (giant == nullptr) of_step.erase(gathers ? of_step.begin() : of_step.end() - 1);
    if (!of_step.empty()) hideable.push_back({std::move(of_step), giant});
  }
  return hideable;
}

// Computing of a rank's step, that communication may hide behind.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> ComputeOfSteps(
    const RuleInput& input) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> compute;
  const JobGraph& graph = input.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work == Work::kCompute && kind.phase != Phase::kOptimizer)
      compute[{input.RankOf(node), graph.StepOf(node)}] += graph.nodes()[node].duration_ns;
  }
  return compute;
}

// Within a host, where the links between its devices bear far more.
void TellSlowLinks(const RuleInput& input, const std::vector<HideableOfStep>& hideable,
                   Cause& cause) {
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const auto& hosts = input.Shared<Hosts>();
  LinkUse use;
  double least_peak = 0;
  for (const HideableOfStep& of_step : hideable) {
    for (const Exchange* exchange : of_step.exchanges) {
      const std::optional<double> peak = LinkUse::PeakOf(peaks, *exchange);
      if (!peak || hosts.Spanned(exchange->ranks) > 1 || exchange->bytes < kLargeTransferBytes)
        continue;
      least_peak = least_peak == 0 ? *peak : std::min(least_peak, *peak);
      use.Add(*exchange);
    }
  }
  if (use.empty() || use.BusBandwidth() >= kLowLinkUse * least_peak) return;
  cause.what += fmt::format("; at {:.3g} GB/s it reaches {} of what the links of a host bear",
                            use.BusBandwidth() / 1e9, PercentText(use.BusBandwidth() / least_peak));
  cause.recommendation =
      "See why NVLink or Infinity Fabric is not used: nvidia-smi topo -m, nvidia-smi nvlink -s, "
      "NCCL_DEBUG=INFO (\"via P2P\", not SHM or NET), NCCL_P2P_DISABLE, IOMMU or a container "
      "without shared memory. Then start reductions during the backward.";
}

std::optional<Cause> FindExposedCommunication(const RuleInput& input) {
  if (MostIsAlone(input)) return FindAlone(input);
  const std::vector<HideableOfStep> hideable = Hideable(input);
  if (hideable.empty()) return std::nullopt;
  const auto compute = ComputeOfSteps(input);
  Scenario without = input.recorded();
  TransferSums sums(input);
  std::map<std::string, std::int64_t> by_kind;
  bool are_giant = false;
  for (const HideableOfStep& of_step : hideable) {
    const Exchange& first = *of_step.exchanges.front();
    std::int64_t transfers = 0;
    for (const Exchange* exchange : of_step.exchanges) transfers += exchange->transfer_ns;
    if (transfers == 0) continue;
    const auto room = compute.find({first.ranks.front(), first.step});
    const double hidden =
        room == compute.end()
            ? 0
            : std::min(1.0, static_cast<double>(room->second) / static_cast<double>(transfers));
    are_giant = are_giant || of_step.giant != nullptr;
    for (const Exchange* exchange : of_step.exchanges) {
      const double needed = std::max(1 - hidden, of_step.NeededPart(exchange));
      Exchanges::SetTransfer(
          input.graph(), *exchange,
          static_cast<std::int64_t>(needed * static_cast<double>(exchange->transfer_ns)), without);
      sums.Add(*exchange, exchange->transfer_ns);
      if (exchange->counts) by_kind[Exchanges::Describe(input, *exchange)] += exchange->transfer_ns;
    }
  }
  if (sums.count() == 0) return std::nullopt;
  const auto largest =
      std::max_element(by_kind.begin(), by_kind.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  Cause cause;
  sums.TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(std::max(0.0, input.GainOf(without)) * input.step_ns());
  cause.without = std::move(without);
  cause.what = fmt::format(
      "data-parallel communication that is not hidden by computing costs {} a step, most of it {}",
      TimeText(static_cast<double>(*cause.lost_ns)), largest->first);
  if (are_giant)
    cause.what += "; nearly all gradients go in one reduction, which begins when the last is there";
  TellSlowLinks(input, hideable, cause);
  return cause;
}

constexpr std::array<Advice, 3> kExposedCommunicationAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "XLA's latency-hiding scheduler (--xla_gpu_enable_latency_hiding_scheduler=true) with "
     "pipelined collectives (--xla_gpu_enable_pipelined_all_gather=true, _reduce_scatter, "
     "_all_reduce)."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kMegatron; },
     "--overlap-grad-reduce and --overlap-param-gather, with --ddp-bucket-size for smaller "
     "buckets."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kDeepSpeed; },
     "\"overlap_comm\": true and contiguous_gradients in zero_optimization, with "
     "reduce_bucket_size small enough that reductions begin during the backward."},
}};

}  // namespace

const Rule& ExposedCommunicationRule() {
  static const Rule kRule{
      .id = "exposed-communication",
      .summary = "collectives that no computing hides",
      .tier = Tier::kNature,
      .takes = Takes::kTransfer,
      .find = FindExposedCommunication,
      .why =
          "all but the last reduction and the first gathering of a step could run beside the "
          "computing of other layers; replayed with as much of them hidden as there is computing",
      .recommendation =
          "Start reductions during the backward: DistributedDataParallel with bucket_cap_mb=25 and "
          "gradient_as_bucket_view=True, overlap_grad_reduce=True (Megatron-LM); FSDP: "
          "forward_prefetch=True, backward_prefetch=BACKWARD_PRE, and no synchronisation between "
          "layers.",
      .command = "rankscope table exposed_communication TRACES",
      .advice = kExposedCommunicationAdvice,
  };
  return kRule;
}

}  // namespace rankscope
