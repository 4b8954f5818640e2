// unfused-loss: kernels that go over all logits of a language model, beside those of a loss.
//
// Logits are the largest activation: tokens times vocabulary. A cross entropy reads and writes them
// a few times in their own type, and sums up in fp32 by itself. A cast to fp32 before it, copies of
// them and a loss that is written out go over them again, each time over twice as many bytes.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/loss_parts.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindUnfusedLoss(const RuleInput& input) {
  const auto& parts = input.Shared<LossParts>();
  if (!parts.is_told()) return std::nullopt;
  Cause cause;
  Scenario without = input.recorded();
  NodeSums sums(input);
  double ns = 0;
  input.ForEachOfSteps([&](NodeId node, const NodeKind&) {
    const double left = parts.LeftOf(input.RankOf(node));
    if (!parts.over_logits().Has(node) || left >= 1) return;
    const auto now = static_cast<double>(input.graph().nodes().DurationOf(node));
    without.SetDuration(node, static_cast<std::int64_t>(left * now));
    sums.Add(node, (1 - left) * now);
    ns += input.Counts(node) ? now : 0;
  });
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  if (parts.does_more()) {
    cause.is_unproven = true;
    cause.recommendation =
        "Compute what goes over logits in one kernel, and for a part of the tokens at a time: "
        "torch.compile around head and loss, or a fused linear loss that knows it (Liger's have "
        "soft-capping, label smoothing, z-loss, and losses of distillation and preferences).";
  }
  cause.what = fmt::format(
      "{:.3g} kernels a step go over logits of {} and take {}; a cross entropy in 16 bits takes {}",
      sums.CountPerStep(), parts.logits(), TimeText(sums.PerStep(ns)),
      TimeText(sums.PerStep(ns) - sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& UnfusedLossRule() {
  static const Rule kRule{
      .id = "unfused-loss",
      .summary = "the loss goes over all logits in several kernels",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kShapes,
      .find = FindUnfusedLoss,
      .why =
          "kernels over tensors in the shape of what log_softmax takes, a quarter of their "
          "time outside of the loss's own; replayed with 12 bytes for each logit at 70% of the "
          "memory's bandwidth, which is what aten::cross_entropy_loss and its gradient move in "
          "16 bits",
      .recommendation =
          "Pass the logits to F.cross_entropy as they are (it sums up in fp32 itself): no .float() "
          "and no .contiguous() before it, no softmax that is written out; outside of autocast, "
          "which casts there. A loss that never has "
          "all logits takes less still, and little memory: Liger's fused linear cross entropy, "
          "cut_cross_entropy, or torch.compile around head and loss.",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
