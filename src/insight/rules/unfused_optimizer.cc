// unfused-optimizer: the optimizer launches kernels for every parameter, or what else goes over the
// parameters one by one does: an average of weights, a clipping of gradients.
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/loose_updates.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsOfMany(const NodeKind& kind) {
  return Contains(kind.op, "_foreach") || Contains(kind.op, "_fused");
}

bool IsUpdate(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase == Phase::kOptimizer;
}

// A foreach op that was given one tensor: its first input is a list of one shape.
bool HasOneTensor(const NodeKind& kind) {
  if (!kind.shapes.starts_with("[[[")) return false;
  const std::size_t end = kind.shapes.find(']');
  return end != std::string::npos && kind.shapes.compare(end, 2, "]]") == 0;
}

// Kernels of single parameters: by ops of a single one; of an optimizer that takes lists, where so
// many of its kernels are short, or are known to have one tensor, that its groups must be small.
class Updates {
 public:
  explicit Updates(const RuleInput& input)
      : single_(Select(
            input, [](NodeId, const NodeKind& kind) { return IsUpdate(kind) && !IsOfMany(kind); })),
        groups_(Select(input, [&](NodeId node, const NodeKind& kind) {
          return IsUpdate(kind) && IsOfMany(kind) && IsSmall(input.graph(), node);
        })) {}

  const Selection* Most() const {
    if (single_.sums().CountPerStep() >= static_cast<double>(kManyUpdates)) return &single_;
    return groups_.sums().CountPerStep() >= static_cast<double>(kManyOfGroups) ? &groups_ : nullptr;
  }
  bool AreGroups() const { return Most() == &groups_; }

 private:
  static bool IsSmall(const JobGraph& graph, NodeId node) {
    const NodeKind& kind = graph.KindOf(node);
    return HasOneTensor(kind) ||
           static_cast<double>(graph.nodes()[node].duration_ns) < 2 * kShortKernelNs;
  }
  Selection single_, groups_;
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

// The job with one launch for all updates, whose kernels take this part of their time: what a fused
// kernel moves remains.
Cause CauseOfUpdates(const RuleInput& input, const Selection& updates, double part,
                     std::string_view what) {
  const JobGraph& graph = input.graph();
  Cause cause;
  updates.sums().TellIn(cause);
  const Selection others = AllButFirst(input, updates);
  Scenario without = others.Without();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (updates.Has(node))
      without.SetDuration(node, static_cast<std::int64_t>(
                                    part * static_cast<double>(graph.nodes()[node].duration_ns)));
  }
  cause.what = fmt::format(fmt::runtime(what), updates.sums().CountPerStep());
  cause.what += fmt::format(", {} in all{}", TimeText(updates.sums().LostPerStep()),
                            others.LaunchingText(without));
  cause.without = std::move(without);
  return cause;
}

// Of the values that `mul_` and `add_` move, the part that `_foreach_lerp_` moves: two read and one
// written, in place of three read and two written.
constexpr double kFusedAverage = 3.0 / 5;

Cause CauseOfLooseUpdates(const RuleInput& input, const LooseUpdates& loose) {
  using Of = LooseUpdates::Of;
  const double part = loose.of == Of::kAverage     ? kFusedAverage
                      : loose.of == Of::kOptimizer ? kFusedUpdate
                                                   : 1;
  Cause cause = CauseOfUpdates(
      input, loose.updates, part,
      loose.of == Of::kClipping
          ? "behind the backward {:.0f} kernels a step measure and scale gradients one by one"
          : "behind the backward {:.0f} kernels a step change tensors one by one, outside of "
            "Optimizer.step");
  cause.why =
      "kernels of in-place ops on single tensors (mul_, add_, lerp_, ...) or of their norms behind "
      "the backward, outside of Optimizer.step, one behind the other; replayed with one launch for "
      "all of them";
  switch (loose.of) {
    case Of::kAverage:
      cause.recommendation =
          "An average of weights in one call: AveragedModel(model, "
          "multi_avg_fn=get_ema_multi_avg_fn(decay)) of torch.optim.swa_utils, or "
          "torch._foreach_lerp_(averages, parameters, 1 - decay); or every few steps.";
      break;
    case Of::kOptimizer:
      cause.recommendation =
          "An optimizer of your own: one of torch.optim with fused=True if there is one, else "
          "lists of tensors (torch._foreach_mul_, torch._foreach_addcdiv_), or torch.compile of "
          "its step.";
      break;
    case Of::kClipping:
      cause.recommendation =
          "All gradients in one call: torch.nn.utils.clip_grad_norm_(parameters, norm, "
          "foreach=True), or torch._foreach_norm and torch._foreach_mul_ over lists of them.";
      break;
    case Of::kOther:
      cause.recommendation =
          "All tensors in one call: torch._foreach_lerp_, torch._foreach_mul_ and the like take "
          "lists; clip_grad_norm_(parameters, norm, foreach=True).";
      break;
  }
  return cause;
}

std::optional<Cause> FindUnfusedOptimizer(const RuleInput& input) {
  const Updates all(input);
  if (all.Most() == nullptr) {
    const auto& loose = input.Shared<LooseUpdates>();
    return loose.are_many ? std::optional(CauseOfLooseUpdates(input, loose)) : std::nullopt;
  }
  Cause cause = CauseOfUpdates(
      input, *all.Most(), kFusedUpdate,
      all.AreGroups()
          ? "the optimizer launches {:.0f} kernels a step, one per operation and small group of "
            "parameters"
          : "the optimizer launches {:.0f} kernels a step, one per operation and parameter");
  if (all.AreGroups())
    cause.recommendation =
        "Few groups of parameters: one for all that share their settings (with and without weight "
        "decay: two); a learning rate by layer is one group a layer, not one a tensor. fused=True "
        "launches least for each.";
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
      .shown_in = {"kernels_by_name"},
      .advice = kUnfusedOptimizerAdvice,
  };
  return kRule;
}

}  // namespace rankscope
