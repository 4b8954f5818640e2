// host-sync: the host waits for the device again and again.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/host_stretches.h"
#include "insight/evidence/host_work/needed_waits.h"
#include "insight/evidence/kernels/costly_ops.h"
#include "insight/evidence/kernels/freed_copies.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"
#include "trace/device_api.h"
#include "trace/value_reads.h"

namespace rankscope {
namespace {

// A wait that comes in this part of the steps, or in fewer, is another matter.
constexpr std::size_t kRareSteps = 3;

// A wait of a host for its device: the node behind it, and the edges, one from each stream.
struct Wait {
  NodeId node = kNoNode;
  std::vector<std::size_t> edges;
};

// Reads of a loss and of a norm, which a step may have, are no loop.
constexpr std::size_t kFewAlike = 3;

// Whether the program waits for both in the same way: in calls of one name in ops of one name.
bool AreAlike(const JobGraph& graph, const Wait& a, const Wait& b) {
  const NodeId before_a = graph.nodes()[a.node].previous, before_b = graph.nodes()[b.node].previous;
  if (before_a == kNoNode || before_b == kNoNode) return false;
  const NodeKind& of_a = graph.KindOf(before_a);
  const NodeKind& of_b = graph.KindOf(before_b);
  return of_a.name == of_b.name && of_a.outer_op == of_b.outer_op;
}

// Of a rank in a step.
struct HostStep {
  std::vector<Wait> waits;
  std::vector<NodeId> calls;       // that wait for a device or stream which was done already
  std::int64_t begin = INT64_MAX;  // of what the host does
  std::int64_t end = INT64_MIN;
  std::int64_t first_launch = INT64_MAX;  // of work of the step
  std::int64_t last_launch = INT64_MIN;
  std::int64_t last_forward = INT64_MIN;  // launch of a kernel of the forward pass
  bool has_backward = false;

  // At which something is waited for in between: [first, second) of `waits`.
  //
  // Before its first launch a step waits for the work of the one before it, which that one could
  // do at its end. Every training loop waits at the end: it reads the loss, and may read the norm
  // of gradients; and whoever measures waits behind the last launch once more.
  std::pair<std::size_t, std::size_t> Between(const JobGraph& graph, const Replay& now) const {
    const auto begin_of = [&](std::size_t i) { return now.BeginOf(waits[i].node); };
    std::size_t first = 0, last = waits.size();
    while (first < last && begin_of(first) <= first_launch) ++first;
    while (last > first + 1 && begin_of(last - 2) >= last_launch) --last;
    if (last == first) return {first, last};
    // One of many in a loop, with launches behind it, is no reading of the loss.
    if (last - first > kFewAlike && begin_of(last - 1) < last_launch &&
        AreAlike(graph, waits[last - 2], waits[last - 1]))
      return {first, last};
    // In the middle of a forward pass there is no loss to read.
    if (has_backward && begin_of(last - 1) < last_forward) return {first, last};
    const auto tail =
        end - static_cast<std::int64_t>(kTailOfStep * static_cast<double>(end - begin));
    if (last - first == 2 && begin_of(first) >= tail) --last;
    return {first, last - 1};
  }
};

// Frees and the like have rules of their own; the wait may stand at what follows the call.
bool IsOfAllocator(const JobGraph& graph, NodeId waiting) {
  const NodeId before = graph.nodes()[waiting].previous;
  return graph.KindOf(waiting).work == Work::kAllocator ||
         (before != kNoNode && graph.KindOf(before).work == Work::kAllocator);
}

// Takes back the wait, or the call without one, that stands right before a node that frees: freeing
// waits for the device, and what empties the cache waits before it, too (empty_cache()).
void TakeBackBefore(const JobGraph& graph, NodeId frees, HostStep& of_step) {
  constexpr std::int64_t kBetweenCalls_ns = 20'000;
  NodeId before = graph.nodes()[frees].previous;
  while (before != kNoNode) {
    if (!of_step.waits.empty() && of_step.waits.back().node == before) {
      of_step.waits.pop_back();
    } else if (!of_step.calls.empty() && of_step.calls.back() == before) {
      of_step.calls.pop_back();
    } else if (!IsOwnHostWork(graph.KindOf(before).work) ||
               graph.nodes()[before].duration_ns > kBetweenCalls_ns) {
      return;
    }
    before = graph.nodes()[before].previous;
  }
}

// Of a thread that exchanges with other ranks (gloo): until its tensor has been copied to the host.
bool IsOfExchange(const JobGraph& graph, NodeId waiting) {
  const auto is_of_gloo = [&](NodeId node) {
    return node != kNoNode && graph.KindOf(node).name.starts_with("gloo:");
  };
  return is_of_gloo(waiting) || is_of_gloo(graph.nodes()[waiting].previous);
}

// For a copy from or to pageable memory, which pageable-copy and copies-to-host tell.
bool IsOfPageableCopy(const JobGraph& graph, NodeId waiting) {
  const auto edges = graph.EdgesOf(waiting);
  return std::any_of(edges.begin(), edges.end(), [&](const NodeEdge& edge) {
    return edge.kind == DependencyKind::kSync &&
           (IsFromPageable(graph.KindOf(edge.from)) || IsToPageable(graph, edge.from));
  });
}

// For a value of an op that costly-op tells, waits included.
bool IsOfCostlyOp(const RuleInput& input, NodeId waiting) {
  const CostlyOps& costly = input.Shared<CostlyOps>();
  if (!costly.AreMuch()) return false;
  const auto edges = input.graph().EdgesOf(waiting);
  return std::any_of(edges.begin(), edges.end(), [&](const NodeEdge& edge) {
    return edge.kind == DependencyKind::kSync && costly.work().Has(edge.from);
  });
}

// Of a compiler that tries its kernels.
bool IsOfCompiler(const JobGraph& graph, NodeId waiting) {
  const NodeId before = graph.nodes()[waiting].previous;
  return graph.KindOf(waiting).work == Work::kCompile ||
         (before != kNoNode && graph.KindOf(before).work == Work::kCompile);
}

// A synchronising call whose device was done: on a host that is late, which it keeps from running
// ahead all the same. Where the call waited, the node behind it has the wait.
bool WaitsForNothing(const JobGraph& graph, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  return kind.work == Work::kSyncCall && ScopeOfSynchronizeCall(kind.name) != SyncScope::kEvent;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, HostStep> StepsOfHosts(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Key, HostStep> steps;
  auto last = steps.end();  // mostly it is asked for again
  const auto step_of = [&](NodeId node) -> HostStep& {
    const Key key{input.RankOf(node), graph.StepOf(node)};
    if (last == steps.end() || last->first != key) last = steps.try_emplace(key).first;
    return last->second;
  };
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep) continue;
    if (IsDevice(graph.KindOf(node).work)) {
      for (const NodeEdge& edge : graph.EdgesOf(node)) {
        if (edge.kind != DependencyKind::kLaunch || graph.StepOf(edge.from) == kNoStep) continue;
        HostStep& launching = step_of(edge.from);
        const std::int64_t at = input.now().EndOf(edge.from);
        launching.first_launch = std::min(launching.first_launch, at);
        launching.last_launch = std::max(launching.last_launch, at);
        const NodeKind& kind = graph.KindOf(node);
        if (kind.work != Work::kCompute) continue;
        launching.has_backward = launching.has_backward || kind.phase == Phase::kBackward;
        if (kind.phase == Phase::kForward)
          launching.last_forward = std::max(launching.last_forward, at);
      }
      continue;
    }
    HostStep& of_step = step_of(node);
    if (IsBlockingFree(graph.KindOf(node).name)) TakeBackBefore(graph, node, of_step);
    of_step.begin = std::min(of_step.begin, input.now().BeginOf(node));
    of_step.end = std::max(of_step.end, input.now().EndOf(node));
    const auto edges = graph.EdgesOf(node);
    Wait wait{.node = node, .edges = {}};
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync)
        wait.edges.push_back(graph.nodes().FirstEdgeOf(node) + i);
    }
    if (wait.edges.empty() && !WaitsForNothing(graph, node)) continue;
    if (IsOfAllocator(graph, node) || IsOfExchange(graph, node) || IsOfCompiler(graph, node) ||
        IsOfPageableCopy(graph, node) || IsOfCostlyOp(input, node))
      continue;
    if (wait.edges.empty()) {
      of_step.calls.push_back(node);
    } else {
      of_step.waits.push_back(std::move(wait));
    }
  }
  return steps;
}

// In how many of the counted steps a rank waits at a place.
using StepsOfPlaces = std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t>;

StepsOfPlaces CountSteps(const RuleInput& input,
                         const std::map<std::pair<std::uint32_t, std::uint32_t>, HostStep>& steps) {
  StepsOfPlaces count;
  for (const auto& [where, of_step] : steps) {
    std::set<std::uint64_t> places;
    for (const Wait& wait : of_step.waits) {
      if (input.Counts(wait.node)) places.insert(input.graph().PlaceOf(wait.node));
    }
    for (const std::uint64_t place : places) ++count[{where.first, place}];
  }
  return count;
}

// When the last of what is waited for is over.
std::int64_t EndOfWork(const RuleInput& input, const Wait& wait) {
  std::int64_t end = INT64_MIN;
  for (const std::size_t at : wait.edges) {
    const NodeEdge edge = input.graph().edge(at);
    end = std::max(end, SaturatingAdd(input.now().EndOf(edge.from), edge.lag_ns));
  }
  return end;
}

// What the host does in the call and for it alone takes no time: the call itself, and of an op that
// reads a value the op and its copy. `told` takes the calls among it.
void RemoveCall(const JobGraph& graph, NodeId waiting, Scenario& without, std::set<NodeId>& told) {
  const auto is_call = [](const NodeKind& kind) {
    return kind.work == Work::kSyncCall || kind.work == Work::kLaunchCall ||
           kind.work == Work::kOtherCall;
  };
  if (graph.KindOf(waiting).work == Work::kSyncCall || ReadsValue(graph.KindOf(waiting).name))
    without.SetDuration(waiting, 0);
  bool in_op = ReadsValue(graph.KindOf(waiting).name);
  NodeId at = graph.nodes()[waiting].previous;
  std::vector<NodeId> calls;  // that may be the op's
  while (at != kNoNode) {
    const NodeKind& kind = graph.KindOf(at);
    if (ReadsValue(kind.name)) {
      for (const NodeId call : calls) without.SetDuration(call, 0);
      calls.clear();
      without.SetDuration(at, 0);
      in_op = true;
    } else if (is_call(kind) && (in_op || kind.work == Work::kSyncCall || calls.empty())) {
      calls.push_back(at);
      told.insert(at);
    } else {
      break;
    }
    at = graph.nodes()[at].previous;
  }
}

// Whether the same op has waited before, in its copy.
bool HasWaited(const JobGraph& graph, NodeId call, const std::set<NodeId>& waits) {
  for (NodeId at = graph.nodes()[call].previous; at != kNoNode; at = graph.nodes()[at].previous) {
    if (waits.contains(at)) return true;
    const NodeKind& kind = graph.KindOf(at);
    if (!ReadsValue(kind.name) && kind.work != Work::kLaunchCall && kind.work != Work::kOtherCall)
      return false;
  }
  return false;
}

// Calls between the launches of a step that waited for nothing, where there are many.
void AddCalls(const RuleInput& input,
              const std::map<std::pair<std::uint32_t, std::uint32_t>, HostStep>& steps,
              std::set<NodeId>& told, Scenario& without, NodeSums& sums) {
  for (const auto& [where, of_step] : steps) {
    std::set<NodeId> waits;
    for (const Wait& wait : of_step.waits) waits.insert(wait.node);
    std::vector<NodeId> between;
    for (const NodeId call : of_step.calls) {
      const std::int64_t at = input.now().BeginOf(call);
      if (at > of_step.first_launch && at < of_step.last_launch && !told.contains(call) &&
          !HasWaited(input.graph(), call, waits))
        between.push_back(call);
    }
    if (static_cast<double>(between.size()) < kManyWaits) continue;
    for (const NodeId call : between) {
      RemoveCall(input.graph(), call, without, told);
      sums.Add(call, static_cast<double>(input.graph().nodes()[call].duration_ns));
    }
  }
}

std::optional<Cause> FindHostSync(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  const auto steps = StepsOfHosts(input);
  const StepsOfPlaces steps_of = CountSteps(input, steps);
  // What one step alone does (a checkpoint, an evaluation) is not done again and again.
  const auto is_rare = [&](NodeId node) {
    const auto found = steps_of.find({input.RankOf(node), graph.PlaceOf(node)});
    return input.counted().size() > 2 &&
           (found == steps_of.end() || kRareSteps * found->second <= input.counted().size());
  };
  std::set<NodeId> told;  // calls whose waits are told by the nodes behind them
  for (const auto& [where, of_step] : steps) {
    const auto [first, last] = of_step.Between(graph, input.now());
    for (std::size_t i = first; i < last; ++i) {
      const Wait& wait = of_step.waits[i];
      if (is_rare(wait.node) || input.Shared<NeededWaits>().Has(wait.node)) continue;
      const NodeId before = graph.nodes()[wait.node].previous;
      for (const std::size_t edge : wait.edges) without.Cut(edge);
      RemoveCall(graph, wait.node, without, told);
      if (before == kNoNode) {
        sums.Add(wait.node, 0);
      } else {
        // What the host does between the device's end and its own next row is no waiting.
        const std::int64_t waited = EndOfWork(input, wait) - input.now().EndOf(before);
        sums.AddShown(wait.node, before, static_cast<double>(std::max<std::int64_t>(0, waited)));
      }
    }
  }
  AddCalls(input, steps, told, without, sums);
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const bool is_named = !cause.places.empty() && !cause.places.front().op.empty();
  cause.told_anyway = is_named && sums.CountPerStep() >= kManyWaits;
  const double count = sums.CountPerStep();
  cause.what = fmt::format("the host waits for its device {}, {} in all{}",
                           TimesAStep(std::max(1.0, count)), TimeText(sums.LostPerStep()),
                           sums.LostPerStep() > input.step_ns() ? ", in threads side by side" : "");
  return cause;
}

constexpr std::array<Advice, 4> kHostSyncAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "Keep values on the device: no float(x), np.asarray(x) or block_until_ready() in the loop; "
     "look at the loss of an earlier step, every hundredth step."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "Keep values on the device: no .numpy() in the loop; fetch metrics every hundredth step "
     "(steps_per_execution)."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kVllm; },
     "Asynchronous scheduling (--async-scheduling), so that the host prepares a step while the "
     "one before it runs; penalties, log probabilities and structured output bring values to the "
     "host in each step."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kSglang; },
     "Overlap scheduling (no --disable-overlap-schedule), so that the host prepares a batch "
     "while the one before it runs."},
}};

}  // namespace

const Rule& HostSyncRule() {
  static const Rule kRule{
      .id = "host-sync",
      .summary = "the host waits for the device again and again",
      .takes = Takes::kSync,
      .needs = RuleNeeds::kDevice,
      .find = FindHostSync,
      .why =
          "waits of the main thread for device work (item, nonzero, copies to the host, "
          "synchronising calls), but for those at the end of a step (one that reads the loss, one "
          "that reads the norm of gradients, those behind its last launch) and before its first "
          "launch",
      .recommendation =
          "Keep values on the device: torch.where in place of if x.item() > 0, no .item(), .cpu(), "
          "nonzero() or boolean masks in the step; log every hundredth step; copy with "
          "non_blocking=True from pinned memory.",
      .command = "rankscope table launches TRACES",
      .shown_in = {"time_breakdown", "ops_by_name"},
      .advice = kHostSyncAdvice,
  };
  return kRule;
}

}  // namespace rankscope
