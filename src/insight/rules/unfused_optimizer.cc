// unfused-optimizer: the optimizer launches kernels for every parameter, or what else goes over the
// parameters one by one does: an average of weights, a clipping of gradients.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsOfMany(const NodeKind& kind) {
  return Contains(kind.op, "_foreach") || Contains(kind.op, "_fused");
}

bool IsUpdate(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase == Phase::kOptimizer;
}

// Changes a tensor in place behind the backward, outside of an optimizer.
bool IsUpdateBeside(const NodeKind& kind) {
  constexpr std::array<std::string_view, 8> kOps = {
      "aten::mul_",     "aten::add_",     "aten::sub_",  "aten::div_",
      "aten::addcmul_", "aten::addcdiv_", "aten::lerp_", "aten::copy_"};
  return kind.work == Work::kCompute && kind.phase == Phase::kAfter &&
         std::ranges::find(kOps, kind.op) != kOps.end();
}

// Of the values that `mul_` and `add_` move, the part that `_foreach_lerp_` moves: two read and one
// written, in place of three read and two written.
constexpr double kFusedAverage = 3.0 / 5;

// A foreach op that was given one tensor: its first input is a list of one shape.
bool HasOneTensor(const NodeKind& kind) {
  if (!kind.shapes.starts_with("[[[")) return false;
  const std::size_t end = kind.shapes.find(']');
  return end != std::string::npos && kind.shapes.compare(end, 2, "]]") == 0;
}

// Kernels of single parameters: by ops of a single one; of an optimizer that takes lists, where so
// many of its kernels are short, or are known to have one tensor, that its groups must be small;
// and outside of optimizers.
class Updates {
 public:
  explicit Updates(const RuleInput& input)
      : single_(Select(
            input, [](NodeId, const NodeKind& kind) { return IsUpdate(kind) && !IsOfMany(kind); })),
        groups_(Select(input,
                       [&](NodeId node, const NodeKind& kind) {
                         return IsUpdate(kind) && IsOfMany(kind) && IsSmall(input.graph(), node);
                       })),
        beside_(SelectKinds(input, IsUpdateBeside)) {}

  const Selection* Most() const {
    if (single_.sums().CountPerStep() >= static_cast<double>(kManyUpdates)) return &single_;
    if (groups_.sums().CountPerStep() >= static_cast<double>(kManyOfGroups)) return &groups_;
    return beside_.sums().CountPerStep() >= static_cast<double>(kManyUpdates) ? &beside_ : nullptr;
  }
  bool AreGroups() const { return Most() == &groups_; }
  bool AreBeside() const { return Most() == &beside_; }

 private:
  static bool IsSmall(const JobGraph& graph, NodeId node) {
    const NodeKind& kind = graph.KindOf(node);
    return HasOneTensor(kind) ||
           static_cast<double>(graph.nodes()[node].duration_ns) < 2 * kShortKernelNs;
  }
  Selection single_, groups_, beside_;
};

// All but the first of each step and rank: one launch remains, behind what the host does before it.
Selection AllButFirst(const RuleInput& input, const Selection& updates) {
  const JobGraph& graph = input.graph();
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> first;  // by rank and step
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!updates.Has(node)) continue;
    NodeId& of_step =
        first.try_emplace({input.RankOf(node), graph.StepOf(node)}, node).first->second;
    if (input.now().BeginOf(node) < input.now().BeginOf(of_step)) of_step = node;
  }
  Selection others(input);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (updates.Has(node) && first.at({input.RankOf(node), graph.StepOf(node)}) != node)
      others.Add(node);
  }
  return others;
}

std::optional<Cause> FindUnfusedOptimizer(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const Updates all(input);
  if (all.Most() == nullptr) return std::nullopt;
  const Selection& updates = *all.Most();
  Cause cause;
  updates.sums().TellIn(cause);
  const Selection others = AllButFirst(input, updates);
  Scenario without = others.Without();
  // What a fused kernel moves remains.
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (updates.Has(node))
      without.SetDuration(
          node, static_cast<std::int64_t>((all.AreBeside() ? kFusedAverage : kFusedUpdate) *
                                          static_cast<double>(graph.nodes()[node].duration_ns)));
  }
  cause.what = fmt::format(
      "the optimizer launches {:.0f} kernels a step, one per operation and {}, {} in all{}",
      updates.sums().CountPerStep(), all.AreGroups() ? "small group of parameters" : "parameter",
      TimeText(updates.sums().LostPerStep()), others.LaunchingText(without));
  if (all.AreBeside()) {
    cause.what = fmt::format(
        "behind the backward {:.0f} kernels a step change tensors one by one, outside of the "
        "optimizer, {} in all{}",
        updates.sums().CountPerStep(), TimeText(updates.sums().LostPerStep()),
        others.LaunchingText(without));
    cause.why =
        "kernels of in-place ops on single tensors (mul_, add_, lerp_, ...) behind the backward, "
        "outside of Optimizer.step; replayed as one launch that reads each value once";
    cause.recommendation =
        "All tensors in a call. An average of weights: AveragedModel(model, "
        "multi_avg_fn=get_ema_multi_avg_fn(decay)) of torch.optim.swa_utils, or "
        "torch._foreach_lerp_(averages, parameters, 1 - decay), every few steps. Clipping: "
        "clip_grad_norm_(parameters, norm, foreach=True).";
  }
  if (all.AreGroups())
    cause.recommendation =
        "Few groups of parameters: one for all that share their settings (with and without weight "
        "decay: two); a learning rate by layer is one group a layer, not one a tensor. fused=True "
        "launches least for each.";
  cause.without = std::move(without);
  return cause;
}

constexpr std::array<Advice, 4> kUnfusedOptimizerAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "The optimizer's update (optax) in the same jax.jit as the gradients."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "optimizer.jit_compile = True, or the whole step in tf.function(jit_compile=True)."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kTransformers; },
     "TrainingArguments(optim='adamw_torch_fused')."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kDeepSpeed; },
     "The optimizer 'AdamW' of DeepSpeed's configuration (FusedAdam), or "
     "torch.optim.AdamW(params, fused=True)."},
}};

}  // namespace

const Rule& UnfusedOptimizerRule() {
  static const Rule kRule{
      .id = "unfused-optimizer",
      .summary = "the optimizer launches kernels for every parameter",
      .find = FindUnfusedOptimizer,
      .why =
          "kernels launched inside Optimizer.step by ops that are neither fused nor foreach, or by "
          "such "
          "ops of a single parameter at a time",
      .recommendation =
          "fused=True where the optimizer takes it (torch.optim: Adam, AdamW, SGD, Adagrad), else "
          "foreach=True; Apex or DeepSpeed's fused optimizers.",
      .command = "rankscope table phases TRACES",
      .advice = kUnfusedOptimizerAdvice,
  };
  return kRule;
}

}  // namespace rankscope
