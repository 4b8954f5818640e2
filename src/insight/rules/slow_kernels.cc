// slow-kernels: the same kernels take longer on some ranks, and nothing tells why.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/kernels_in_turn.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/peers/kind_speed.h"
#include "insight/evidence/peers/peer_speed.h"
#include "insight/evidence/peers/rank_excess.h"
#include "insight/evidence/setting/device_models.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool TellsShapes(const JobGraph& graph) {
  return std::any_of(graph.kinds().begin(), graph.kinds().end(),
                     [](const NodeKind& kind) { return kind.TellsWork(); });
}

// Half of the ranks, all of which are slow: one of two stages.
std::optional<Cause> FindHalf(const RuleInput& input) {
  const std::vector<std::uint32_t>& slow = input.Shared<SlowDevices>().ranks;
  if (2 * slow.size() != input.ranks() || AreOfOtherModels(input, slow)) return std::nullopt;
  const PeerSpeed sum = SumOf(input.Shared<SlowDevices>().speeds, slow);
  Cause cause = CauseOfSlowDevices(input, slow);
  cause.what = fmt::format("the same kernels take {:.2f} times as long on {} as on the other ranks",
                           sum.own_ns / sum.typical_ns, WhoText(input, slow));
  return cause;
}

// Of stages with one rank each: kernels of some kinds that take longer than on the other stages.
std::optional<Cause> FindOfStages(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const auto& kinds = input.Shared<KindSpeed>();
  const auto& preempted = input.Shared<Preempted>();
  std::vector<std::int64_t> beyond(input.ranks(), 0);
  // What a node takes beyond its like; 0 where that is scatter.
  const auto beyond_of = [&](NodeId node) -> std::int64_t {
    const std::uint32_t rank = input.RankOf(node);
    // Kernels with as many blocks as the device has units launch alike for any sizes: those of the
    // output layer of a last stage.
    const bool tells_inputs = !graph.KindOf(node).shapes.empty();
    if (!tells_inputs || input.peers().SizeFor(rank) > 1 || preempted.Has(node)) return 0;
    const auto share = kinds.ShareOfKind(rank, graph.nodes().KindOf(node));
    if (!share || *share * kDiffersByTime > 1) return 0;
    return static_cast<std::int64_t>(static_cast<double>(graph.nodes().DurationOf(node)) *
                                     (1 - *share));
  };
  input.ForEach(
      [&](NodeId node, const NodeKind&) { beyond[input.RankOf(node)] += beyond_of(node); });
  const std::vector<std::uint32_t> slow = RanksThat(
      input, [&](std::uint32_t rank) { return input.ShareOfSteps(beyond[rank]) >= 2 * kLowGain; });
  if (slow.empty() || 2 * slow.size() > input.ranks() || AreOfOtherModels(input, slow))
    return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  input.ForEachOfSteps([&](NodeId node, const NodeKind&) {
    if (!std::ranges::binary_search(slow, input.RankOf(node))) return;
    const std::int64_t ns = beyond_of(node);
    if (ns == 0) return;
    without.SetDuration(node, graph.nodes().DurationOf(node) - ns);
    sums.Add(node, static_cast<double>(ns));
  });
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what =
      fmt::format("some kernels take {} a step longer on {} than the same ones on the other stages",
                  TimeText(sums.LostPerStep()), WhoText(input, slow));
  return cause;
}

// Of some ranks, where their device ran something else meanwhile.
std::optional<Cause> FindPreempted(const RuleInput& input) {
  constexpr double kMuch = 0.03;
  const std::map<NodeId, std::int64_t>& usual = input.Shared<Preempted>().usual_ns;
  if (usual.empty()) return std::nullopt;
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const auto& [node, ns] : usual) {
    // Of kernels whose inputs and launch are not known, some may have far more to do.
    if (input.graph().StepOf(node) == kNoStep || !input.graph().KindOf(node).TellsWork()) continue;
    const std::int64_t beyond = input.graph().nodes().DurationOf(node) - ns;
    without.SetDuration(node, ns);
    sums.Add(node, static_cast<double>(beyond));
  }
  if (sums.empty() || input.GainOf(without) < kMuch) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const std::size_t all = sums.nodes().size();
  const std::string count =
      sums.CountPerStep() < 1
          ? fmt::format("{} in {} steps", CountText(static_cast<double>(all), "kernel"),
                        input.counted().size())
          : CountAStep(sums.CountPerStep(), "kernel").text;
  cause.what = fmt::format(
      "on {}, {} took much longer than their like there, {} a step in all: something else "
      "ran on the device meanwhile",
      WhoText(input, cause.ranks), count, TimeText(sums.LostPerStep()));
  cause.recommendation =
      "See who else uses the device: nvidia-smi pmon -c 5 (amd-smi process), a second process of "
      "this job, another job that the scheduler put there (MPS, time slicing, MIG).";
  return cause;
}

std::optional<Cause> FindSlowKernels(const RuleInput& input) {
  if (std::optional<Cause> preempted = FindPreempted(input)) return preempted;
  if (std::optional<Cause> in_turn = CauseOfKernelsInTurn(input)) {
    in_turn->recommendation =
        "See what these kernels work on: lengths and indices that differ from rank to rank wait "
        "for the longest in each step (pack or sort by length, share them out evenly); if they are "
        "equal, look for other processes on the devices.";
    return in_turn;
  }
  const std::vector<std::uint32_t> slow = RanksBeyond(input, Beyond::kKernels);
  if (slow.empty()) {
    std::optional<Cause> half = FindHalf(input);
    return half ? std::move(half) : FindOfStages(input);
  }
  if (AreOfOtherModels(input, slow)) return std::nullopt;
  Cause cause = CauseOfExcess(input, Beyond::kKernels, slow);
  const LossWords loss = LossOf(input, cause);
  cause.what =
      fmt::format("the same kernels take {} longer on {} than on the other ranks {}", loss.time,
                  WhoText(input, slow), cause.steps.empty() ? InEveryStepText(input) : loss.when);
  if (!TellsShapes(input.graph()))
    cause.what += "; neither shapes nor launches were recorded, so they may have more to do";
  return cause;
}

}  // namespace

const Rule& SlowKernelsRule() {
  static const Rule kRule{
      .id = "slow-kernels",
      .summary = "kernels slower than their like, for an unknown reason",
      .tier = Tier::kBeyondPeers,
      .takes = Takes::kSlowerKernels,
      .needs = RuleNeeds::kSeveralRanks,
      .find = FindSlowKernels,
      .why =
          "kernels of equal inputs and launch shapes at the same place of the step, compared with "
          "the "
          "median of the other ranks that do the same work",
      .recommendation =
          "Record clocks, power and throttle reasons of these devices beside the traces "
          "(rankscope-agent), compare with a recording of the same job elsewhere (rankscope diff), "
          "and look for other processes on them.",
      .command = "rankscope table kernels_by_rank TRACES",
  };
  return kRule;
}

}  // namespace rankscope
