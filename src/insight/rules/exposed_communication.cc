// exposed-communication: traffic of data parallelism, which computing could hide, that nothing
// hides.
//
// Gradients may be reduced while the backward still computes those of earlier layers, and shards of
// parameters gathered while the layers before are computed: all but the last reduction and the
// first gathering of a step can be hidden, as far as there is computing to hide them behind. A
// reduction that begins during the backward is as early as its gradients, and a gathering cannot
// begin before the one before it has ended.
// Communication inside a layer (tensor, expert, context parallel) is needed at once.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
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

// Less computing between gatherings than this part of them: they come one after the other.
constexpr double kFewBetween = 0.1;

bool IsGiantBucket(const std::vector<const Exchange*>& of_step) {
  std::int64_t all = 0;
  for (const Exchange* exchange : of_step) all += exchange->bytes;
  return of_step.back()->bytes >= kManyBuckets * kBucket &&
         static_cast<double>(of_step.back()->bytes) >= kNearlyAllExposed * static_cast<double>(all);
}

// What could be hidden of the traffic of one group of data parallelism in one step and direction.
struct HideableOfStep {
  std::vector<const Exchange*> exchanges;  // by their begins
  const Exchange* giant = nullptr;         // of these, of which the last bucket is needed
  const Exchange* first = nullptr;         // of a step, when it gathers: it is needed
  bool gathers = false;

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
    HideableOfStep one{.gathers = std::get<2>(where)};
    if (one.gathers) one.first = of_step.front();
    if (!one.gathers && IsGiantBucket(of_step)) one.giant = of_step.back();
    if (one.giant == nullptr) of_step.erase(one.gathers ? of_step.begin() : of_step.end() - 1);
    one.exchanges = std::move(of_step);
    if (!one.exchanges.empty()) hideable.push_back(std::move(one));
  }
  return hideable;
}

// Whether the backward launched it, on all ranks.
bool IsOfBackward(const RuleInput& input, const Exchange& exchange) {
  return std::ranges::all_of(Exchanges::MembersOf(input.graph(), exchange), [&](NodeId node) {
    return input.graph().KindOf(node).phase == Phase::kBackward;
  });
}

// What a rank computes in a step, without the optimizer, which communication may hide behind.
class ComputeOfSteps {
 public:
  // Of the first rank of each group.
  ComputeOfSteps(const RuleInput& input, const std::vector<HideableOfStep>& hideable) {
    const JobGraph& graph = input.graph();
    std::vector<bool> is_wanted(input.ranks(), false);
    for (const HideableOfStep& of_step : hideable)
      is_wanted[of_step.exchanges.front()->ranks.front()] = true;
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const NodeKind& kind = graph.KindOf(node);
      if (kind.work != Work::kCompute || kind.phase == Phase::kOptimizer) continue;
      const std::uint32_t rank = input.RankOf(node);
      if (!is_wanted[rank]) continue;
      steps_[{rank, graph.StepOf(node)}].push_back(
          {input.now().BeginOf(node), graph.nodes().DurationOf(node),
           kind.again == Again::kForward ? Phase::kBackward : kind.phase});
    }
    for (auto& [where, computed] : steps_) std::ranges::sort(computed, {}, &Computed::begin_ns);
  }

  // Of what begins in [from, to).
  std::int64_t Between(const Exchange& of, std::int64_t from, std::int64_t to) const {
    const std::vector<Computed>& computed = Of(of);
    std::int64_t sum = 0;
    for (auto one = std::ranges::lower_bound(computed, from, {}, &Computed::begin_ns);
         one != computed.end() && one->begin_ns < to; ++one)
      sum += one->ns;
    return sum;
  }

  // What gradients may be reduced beside: the backward whose gradients they are, which is what
  // follows the last forward before them. All, where phases were not recorded.
  std::int64_t BackwardBefore(const Exchange& of, std::int64_t begin_ns) const {
    std::int64_t backward = 0, all = 0;
    for (const Computed& one : Of(of)) {
      all += one.ns;
      if (one.phase == Phase::kBackward) backward += one.ns;
      if (one.phase == Phase::kForward && one.begin_ns < begin_ns) backward = 0;
    }
    return HasBackward(of) ? backward : all;
  }

 private:
  struct Computed {
    std::int64_t begin_ns = 0, ns = 0;
    Phase phase = Phase::kForward;
  };
  const std::vector<Computed>& Of(const Exchange& of) const {
    static const std::vector<Computed> kNothing;
    const auto found = steps_.find({of.ranks.front(), of.step});
    return found == steps_.end() ? kNothing : found->second;
  }
  bool HasBackward(const Exchange& of) const {
    return std::ranges::any_of(Of(of),
                               [](const Computed& one) { return one.phase == Phase::kBackward; });
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Computed>> steps_;
};

// The recording with what could be hidden hidden.
class Hiding {
 public:
  Hiding(const RuleInput& input, const std::vector<HideableOfStep>& hideable)
      : input_(input),
        compute_(input, hideable),
        without_(input.recorded()),
        sums_(input),
        is_beside_(input.graph().nodes().size(), false),
        is_on_stream_of_compute_(input.graph().nodes().size(), false) {
    const JobGraph& graph = input.graph();
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const NodeId before = graph.nodes().PreviousOf(node);
      if (before != kNoNode && graph.KindOf(node).work == Work::kCompute &&
          graph.KindOf(before).work == Work::kCommunication)
        is_on_stream_of_compute_[before] = true;
    }
  }

  void Hide(const HideableOfStep& of_step) {
    if (of_step.gathers) {
      HideGatherings(of_step);
    } else {
      HideReductions(of_step);
    }
  }

  // Computing no longer waits for reductions that begin during the backward and run on a stream of
  // their own. The last one of a step is still waited for, and these with it.
  void LetBackwardGoOn() {
    const JobGraph& graph = input_.graph();
    std::set<NodeId> waited_for;
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const NodeKind& kind = graph.KindOf(node);
      if (kind.work != Work::kCompute || kind.phase != Phase::kBackward) continue;
      const EdgesView edges = graph.EdgesOf(node);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (!is_beside_[edges[i].from]) continue;
        without_.Cut(graph.nodes()[node].first_edge + i);
        waited_for.insert(edges[i].from);
      }
    }
    for (const Exchange* exchange : beside_) {
      const auto members = Exchanges::MembersOf(graph, *exchange);
      if (std::ranges::any_of(members, [&](NodeId node) { return waited_for.contains(node); }))
        Count(*exchange);
    }
  }

  bool has_any() const { return sums_.count() > 0; }
  Scenario& without() { return without_; }
  const TransferSums& sums() const { return sums_; }
  // "all_reduce of 25.2 MB in default_pg (8 ranks)": what takes most.
  const std::string& Largest() const {
    return std::ranges::max_element(by_kind_, {}, [](const auto& one) { return one.second; })
        ->first;
  }

 private:
  std::int64_t BeginOf(const Exchange& exchange) const {
    return input_.now().BeginOf(Exchanges::MembersOf(input_.graph(), exchange).front());
  }
  std::int64_t EndOf(const Exchange& exchange) const {
    return input_.now().EndOf(Exchanges::MembersOf(input_.graph(), exchange).front());
  }
  void Count(const Exchange& exchange) {
    sums_.Add(exchange, exchange.transfer_ns);
    if (exchange.counts) by_kind_[Exchanges::Describe(input_, exchange)] += exchange.transfer_ns;
  }
  void Leave(const Exchange& exchange, double needed) {
    Exchanges::SetTransfer(
        input_.graph(), exchange,
        static_cast<std::int64_t>(needed * static_cast<double>(exchange.transfer_ns)), without_);
    Count(exchange);
  }

  // As much of all as there is computing, in equal parts.
  void HideBehind(const std::vector<const Exchange*>& exchanges, std::int64_t room_ns,
                  const HideableOfStep& of_step) {
    std::int64_t transfers = 0;
    for (const Exchange* exchange : exchanges) transfers += exchange->transfer_ns;
    if (transfers == 0) return;
    const double hidden =
        std::clamp(static_cast<double>(room_ns) / static_cast<double>(transfers), 0.0, 1.0);
    for (const Exchange* exchange : exchanges)
      Leave(*exchange, std::max(1 - hidden, of_step.NeededPart(exchange)));
  }

  // A gathering may begin when the one before it has ended: it hides behind what is computed from
  // then on until it is needed. Many with nothing computed between them may hide behind all.
  void HideGatherings(const HideableOfStep& of_step) {
    std::vector<std::int64_t> rooms;
    std::int64_t room_ns = 0, transfers = 0;
    const Exchange* before = of_step.first;
    for (const Exchange* exchange : of_step.exchanges) {
      rooms.push_back(compute_.Between(*exchange, EndOf(*before), BeginOf(*exchange)));
      room_ns += std::min(rooms.back(), exchange->transfer_ns);
      transfers += exchange->transfer_ns;
      before = exchange;
    }
    if (kFewBetween * static_cast<double>(transfers) > static_cast<double>(room_ns)) {
      HideBehind(of_step.exchanges,
                 compute_.Between(*of_step.first, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()),
                 of_step);
      return;
    }
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const Exchange& exchange = *of_step.exchanges[i];
      if (exchange.transfer_ns == 0 || rooms[i] == 0) continue;
      Leave(exchange, 1 - std::min(1.0, static_cast<double>(rooms[i]) /
                                            static_cast<double>(exchange.transfer_ns)));
    }
  }

  // Those that begin during the backward already are as early as their gradients: only what waits
  // for them can go on. Others could begin during it.
  void HideReductions(const HideableOfStep& of_step) {
    std::vector<const Exchange*> late;
    std::int64_t beside_ns = 0;
    for (const Exchange* exchange : of_step.exchanges) {
      if (exchange == of_step.giant || !IsBesideBackward(*exchange)) {
        late.push_back(exchange);
        continue;
      }
      beside_ns += exchange->transfer_ns;
      beside_.push_back(exchange);
      for (const NodeId node : Exchanges::MembersOf(input_.graph(), *exchange))
        is_beside_[node] = true;
    }
    if (late.empty()) return;
    const std::int64_t room_ns = compute_.BackwardBefore(*late.front(), BeginOf(*late.front()));
    HideBehind(late, room_ns - beside_ns, of_step);
  }

  bool IsBesideBackward(const Exchange& exchange) const {
    return IsOfBackward(input_, exchange) &&
           std::ranges::none_of(Exchanges::MembersOf(input_.graph(), exchange),
                                [&](NodeId node) { return is_on_stream_of_compute_[node]; });
  }

  const RuleInput& input_;
  const ComputeOfSteps compute_;
  Scenario without_;
  TransferSums sums_;
  std::map<std::string, std::int64_t> by_kind_;
  std::vector<const Exchange*> beside_;
  std::vector<bool> is_beside_;                // by node: of these
  std::vector<bool> is_on_stream_of_compute_;  // by node
};

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

// Reductions that are as early as their gradients, and still take far longer than the backward has
// computing: only less traffic or a faster network helps.
std::optional<Cause> FindNetworkBound(const RuleInput& input,
                                      const std::vector<HideableOfStep>& hideable) {
  Scenario without = input.recorded();
  TransferSums sums(input);
  LinkUse use;
  for (const HideableOfStep& of_step : hideable) {
    if (of_step.gathers) continue;
    for (const Exchange* exchange : of_step.exchanges) {
      if (!IsOfBackward(input, *exchange)) continue;
      Exchanges::SetTransfer(input.graph(), *exchange, 0, without);
      sums.Add(*exchange, exchange->transfer_ns);
      if (exchange->bytes > 0) use.Add(*exchange);
    }
  }
  if (sums.count() == 0) return std::nullopt;
  const double gain = input.GainOf(without);
  if (gain < kHighGain) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(without);
  cause.is_unproven = true;
  cause.what = fmt::format(
      "gradients take the network {} a step longer than the backward can hide, though their "
      "reductions begin during it",
      TimeText(static_cast<double>(*cause.lost_ns)));
  if (!use.empty()) cause.what += fmt::format("; at {:.3g} GB/s", use.BusBandwidth() / 1e9);
  cause.why =
      "reductions of data parallelism that begin with the backward and end long after it; replayed "
      "without all but the last, which is more than can be had";
  cause.recommendation =
      "Send less: gradients in bf16 (a communication hook of DDP), accumulation over more "
      "micro-batches, sharding within a host (HSDP). Compare the bandwidth with what the network "
      "can do (rankscope table collective_sizes, nccl-tests).";
  return cause;
}

std::optional<Cause> FindExposedCommunication(const RuleInput& input) {
  if (MostIsAlone(input)) return FindAlone(input);
  const std::vector<HideableOfStep> hideable = Hideable(input);
  if (hideable.empty()) return std::nullopt;
  Hiding hiding(input, hideable);
  for (const HideableOfStep& of_step : hideable) hiding.Hide(of_step);
  hiding.LetBackwardGoOn();
  const double gain = hiding.has_any() ? std::max(0.0, input.GainOf(hiding.without())) : 0;
  if (gain < kLowGain) {
    if (std::optional<Cause> of_network = FindNetworkBound(input, hideable)) return of_network;
  }
  if (!hiding.has_any()) return std::nullopt;
  const bool are_giant = std::ranges::any_of(
      hideable, [](const HideableOfStep& of_step) { return of_step.giant != nullptr; });
  Cause cause;
  hiding.sums().TellIn(cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(hiding.without());
  cause.what = fmt::format(
      "data-parallel communication that is not hidden by computing costs {} a step, most of it {}",
      TimeText(static_cast<double>(*cause.lost_ns)), hiding.Largest());
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
          "computing of other layers; replayed with as much of them hidden as there is computing: "
          "for reductions that of the backward, for a gathering what runs since the one before it; "
          "what begins during the backward is as early as its gradients",
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
