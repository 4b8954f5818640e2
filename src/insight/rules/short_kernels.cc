// launch-bound, unfused-optimizer, redundant-copies: kernels that need not be.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "insight/cause_tools.h"
#include "insight/removal.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// Nodes of device work that these are, in all steps, and their sums over those that count.
struct Selection {
  std::vector<bool> is_one;
  std::vector<NodeId> counted;
  std::set<std::uint32_t> ranks;
  std::int64_t ns = 0;
  double PerStep(const RuleInput& input) const {
    return ranks.empty() ? 0
                         : static_cast<double>(counted.size()) /
                               static_cast<double>(ranks.size() * input.counted().size());
  }
  double NsPerStep(const RuleInput& input) const {
    return ranks.empty() ? 0
                         : static_cast<double>(ns) /
                               static_cast<double>(ranks.size() * input.counted().size());
  }
};

Selection Select(const RuleInput& input,
                 const std::function<bool(NodeId, const NodeKind&)>& is_one) {
  Selection selection;
  const JobGraph& graph = input.graph();
  selection.is_one.assign(graph.nodes().size(), false);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.StepOf(node) == kNoStep || !is_one(node, graph.KindOf(node))) continue;
    selection.is_one[node] = true;
    if (!input.Counts(node)) continue;
    selection.counted.push_back(node);
    selection.ranks.insert(input.RankOf(node));
    selection.ns += graph.nodes()[node].duration_ns;
  }
  return selection;
}

Cause Start(const RuleInput& input, std::string_view id, Tier tier, const Selection& selection) {
  Cause cause;
  cause.id = id;
  cause.tier = tier;
  cause.ranks.assign(selection.ranks.begin(), selection.ranks.end());
  cause.lost_ns = static_cast<std::int64_t>(selection.NsPerStep(input));
  TellWhere(input, selection.counted, cause);
  return cause;
}

void FindCopies(const RuleInput& input, std::vector<Cause>& causes) {
  const Selection copies = Select(input, [](NodeId, const NodeKind& kind) {
    if (kind.phase == Phase::kOptimizer) return false;
    const bool is_on_device =
        kind.work == Work::kCompute ||
        (kind.work == Work::kCopy && kind.name.find("DtoD") != std::string::npos);
    return is_on_device && (kind.op == "aten::contiguous" || kind.op == "aten::clone" ||
                            kind.op == "aten::copy_" || kind.op == "aten::reshape");
  });
  if (copies.NsPerStep(input) < kLowGain * input.step_ns()) return;
  Cause cause = Start(input, "redundant-copies", Tier::kProgram, copies);
  Scenario without = input.recorded();
  Remove(WithLaunches(input.graph(), copies.is_one), without);
  cause.without = std::move(without);
  cause.what = fmt::format("{:.3g} copies a step of tensors from device to device take {}",
                           copies.PerStep(input), TimeText(copies.NsPerStep(input)));
  cause.why =
      "kernels and copies launched by aten::contiguous, clone, copy_ and reshape outside of the "
      "optimizer";
  cause.recommendation =
      "Keep one memory layout from layer to layer (channels_last, or transpose inside the "
      "kernel that reads), drop .contiguous() and .clone() whose result nobody writes, use views.";
  cause.command = "rankscope table ops_by_name TRACES";
  causes.push_back(std::move(cause));
}

void FindOptimizer(const RuleInput& input, std::vector<Cause>& causes) {
  const Selection updates = Select(input, [&](NodeId node, const NodeKind& kind) {
    return kind.work == Work::kCompute && kind.phase == Phase::kOptimizer &&
           kind.op.find("_foreach") == std::string::npos &&
           kind.op.find("_fused") == std::string::npos &&
           input.graph().nodes()[node].duration_ns >= 0;
  });
  if (updates.PerStep(input) < static_cast<double>(kManyUpdates)) return;
  Cause cause = Start(input, "unfused-optimizer", Tier::kProgram, updates);
  Scenario without = input.recorded();
  const std::vector<bool> gone = WithLaunches(input.graph(), updates.is_one);
  Remove(gone, without);
  // What a fused kernel moves remains.
  for (NodeId node = 0; node < gone.size(); ++node) {
    if (updates.is_one[node])
      without.SetDuration(
          node, static_cast<std::int64_t>(
                    kFusedUpdate * static_cast<double>(input.graph().nodes()[node].duration_ns)));
  }
  cause.without = std::move(without);
  cause.what = fmt::format(
      "the optimizer launches {:.0f} kernels a step, one per operation and parameter, {} in all",
      updates.PerStep(input), TimeText(updates.NsPerStep(input)));
  cause.why = "kernels launched inside Optimizer.step by ops that are neither fused nor foreach";
  cause.recommendation =
      "torch.optim.AdamW(params, fused=True), or foreach=True; Apex or DeepSpeed's FusedAdam.";
  cause.command = "rankscope table phases TRACES";
  causes.push_back(std::move(cause));
}

void FindLaunchBound(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  std::size_t compute = 0;
  const Selection tiny = Select(input, [&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute || kind.phase == Phase::kOptimizer) return false;
    compute += input.Counts(node) ? 1 : 0;
    return static_cast<double>(graph.nodes()[node].duration_ns) < kShortKernelNs;
  });
  if (tiny.counted.empty() ||
      static_cast<double>(tiny.counted.size()) < kSomeShort * static_cast<double>(compute))
    return;
  Cause cause = Start(input, "launch-bound", Tier::kNature, tiny);
  Scenario without = input.recorded();
  // Replayed from a graph: no launches, no gaps between them.
  Remove(WithLaunches(graph, tiny.is_one), without);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (tiny.is_one[node]) without.SetDuration(node, graph.nodes()[node].duration_ns);
  }
  cause.without = std::move(without);
  const double gain = std::max(0.0, input.GainOf(*cause.without));
  const bool are_many =
      static_cast<double>(tiny.counted.size()) >= kManyShort * static_cast<double>(compute);
  if (!are_many && gain < kMuchLaunching) return;
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.what = fmt::format(
      "the device waits for launches: {:.0f} of its kernels a step take less than {}, {} in all",
      tiny.PerStep(input), TimeText(kShortKernelNs), TimeText(tiny.NsPerStep(input)));
  cause.why =
      "short kernels, replayed as a CUDA graph would run them: without the host's time to launch "
      "each";
  cause.recommendation =
      "torch.compile(model, mode='reduce-overhead') or CUDA graphs; fuse elementwise chains; a "
      "larger batch per device.";
  cause.command = "rankscope table launches TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  FindCopies(input, causes);
  FindOptimizer(input, causes);
  FindLaunchBound(input, causes);
}

}  // namespace

const Rule& ShortKernelsRule() {
  static const Rule kRule{
      .ids = {"launch-bound", "unfused-optimizer", "redundant-copies"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
