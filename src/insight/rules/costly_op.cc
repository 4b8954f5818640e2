// costly-op: sorts, decompositions of matrices, fills or sums by index take much of the step.
//
// Such ops run far from what a device can do, by their nature: they go over their data many times,
// or in many small kernels one behind the other. A model rarely needs one on the path of a step;
// statistics that somebody looks at do.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/costly_ops.h"
#include "insight/evidence/kernels/slow_forward.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/selection.h"
#include "insight/evidence/steps/few_steps.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::string_view RemedyFor(std::string_view op) {
  if (op.starts_with("aten::unique") || op.starts_with("aten::_unique"))
    return "Compute it once, and keep it, where its input does not change from step to step "
           "(indices, the "
           "structure of a graph); in the loader's workers; or scatter_reduce and bincount over "
           "numbers whose range is known, which need no list of those that occur.";
  const CostlyFamily family = CostlyFamilyOf(op);
  if (family == CostlyFamily::kSort)
    return "torch.topk where the largest are enough; sort fewer rows or fewer bits (bfloat16, "
           "int16 keys), once for all that needs the order. What is only looked at: every "
           "hundredth "
           "step, of a sample.";
  if (family == CostlyFamily::kFill)
    return "Do not fill what is written anyway (torch.empty), nor in each step what stays the same "
           "(register_buffer); zero_grad(set_to_none=True); a mask or bias of zeros need not be "
           "added.";
  if (family == CostlyFamily::kIndexedAdd)
    return "Take rows by index_select, gather or F.embedding in place of x[index]: their gradients "
           "are added as they come (index_add_, scatter_add_), without a sort. Or add by index "
           "with "
           "index_add_ itself.";
  return "What is only looked at: every hundredth step, on another stream. The largest singular "
         "value by a few power iterations, a few of them by torch.svd_lowrank; batch equal sizes "
         "in "
         "one call; torch.backends.cuda.preferred_linalg_library('cusolver' or 'magma').";
}

// Of a library ("bitsandbytes::dequantize_4bit") or the program (a subclass of autograd.Function),
// and of none of the kinds that any model needs.
bool IsOfOwnOp(const NodeKind& kind) {
  // Those of no known class are told as such, with how to say what they are.
  constexpr std::array<KernelClass, 5> kAny = {KernelClass::kElementwise, KernelClass::kReduction,
                                               KernelClass::kIndexing, KernelClass::kDataMovement,
                                               KernelClass::kTriton};
  constexpr std::array<std::string_view, 10> kOfPyTorch = {
      "aten::",  "autograd::",       "torch::",           "c10d", "_c10d", "fsdp::", "inductor::",
      "prims::", "CompiledFunction", "CheckpointFunction"};
  constexpr std::array<std::string_view, 9> kNeeded = {
      "gemm", "matmul", "_mm", "linear", "attention", "moe", "norm", "marlin", "machete"};
  if (std::ranges::any_of(kNeeded, [&](std::string_view part) { return Contains(kind.op, part); }))
    return false;
  const bool is_own = (Contains(kind.op, "::") || kind.op.ends_with("Function") ||
                       kind.op.ends_with("FunctionBackward")) &&
                      std::ranges::none_of(
                          kOfPyTorch, [&](std::string_view of) { return kind.op.starts_with(of); });
  return kind.work == Work::kCompute && is_own &&
         std::ranges::find(kAny, kind.kernel_class) != kAny.end();
}

// Weights that are unpacked before each product of inference: kernels that unpack them while they
// multiply read a quarter of the bytes. In training a weight is unpacked for many tokens, and what
// is saved is memory.
bool IsAvoidable(const RuleInput& input, std::string_view op) {
  return Contains(op, "dequant") &&
         std::ranges::none_of(input.graph().kinds(), [](const NodeKind& kind) {
           return kind.work == Work::kCompute && kind.phase == Phase::kBackward;
         });
}

// The one own op that takes most, where it takes much: nothing shows that it could take less, but
// few would know that it takes so much.
std::optional<Cause> FindOwnOp(const RuleInput& input) {
  constexpr double kMuchOfStep = 0.1;
  std::map<std::string_view, double> by_op;
  const KindsThat are_own(input.graph(), IsOfOwnOp);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (are_own.Has(node))
      by_op[kind.op] += static_cast<double>(input.graph().nodes().DurationOf(node));
  });
  if (by_op.empty()) return std::nullopt;
  const std::string_view op =
      std::ranges::max_element(by_op, {}, [](const auto& one) { return one.second; })->first;
  const Selection work =
      SelectKinds(input, [&](const NodeKind& kind) { return kind.op == op && IsOfOwnOp(kind); });
  const double on_device = work.sums().LostPerStep();
  if (on_device < kMuchOfStep * input.step_ns() || LieInFewSteps(input, work.sums().nodes()))
    return std::nullopt;
  Cause cause;
  work.sums().TellIn(cause);
  cause.without = work.Without();
  cause.gain_method = "bound";
  cause.confidence = 0.5;
  const bool is_avoidable = IsAvoidable(input, op);
  cause.is_unproven = !is_avoidable;
  cause.what =
      fmt::format("{} takes {} of the device in {}, {} of the step", op, TimeText(on_device),
                  CountAStep(work.sums().CountPerStep(), "kernel").text,
                  PercentText(on_device / input.step_ns()));
  cause.why =
      is_avoidable
          ? "kernels of one op that unpacks weights in each step of inference; replayed without "
            "them, as if the products that follow read the unpacked weights as fast as now"
          : "kernels of one op that is not PyTorch's own, and no product, attention, norm, lookup "
            "or collective; replayed without them, which is more than can be had: how fast they "
            "could be, the recording does not show";
  cause.recommendation =
      Contains(op, "quant")
          ? "Multiply by kernels that read quantised weights themselves (Marlin, Machete, "
            "ExLlama), "
            "use a weight for more tokens once it is unpacked, or keep weights in 16 bits where "
            "memory allows."
          : "Compare it with what it reads and writes at the memory's bandwidth (rankscope table "
            "device_peaks). Try torch.compile on the same expression, a library's kernel for it, "
            "other blocks (triton.autotune).";
  return cause;
}

// What zero_grad(set_to_none=False) fills, and nothing else: how much of a step it takes does not
// decide whether the program needs it. The additions to these zeros stay.
std::optional<Cause> FindFilledGradients(const RuleInput& input) {
  const Selection fills = SelectKinds(input, [](const NodeKind& kind) {
    return IsDevice(kind.work) && kind.op == "aten::_foreach_zero_";
  });
  const NodeSums& sums = fills.sums();
  if (sums.LostPerStep() < kLowGain * input.step_ns() || LieInFewSteps(input, sums.nodes()))
    return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = fills.Without();
  cause.confidence = 0.8;
  cause.what =
      fmt::format("gradients are filled with zeros, {} in {} kernels a step",
                  TimeText(sums.LostPerStep()), static_cast<std::int64_t>(sums.CountPerStep()));
  cause.why =
      "kernels of aten::_foreach_zero_, which zero_grad(set_to_none=False) calls; replayed "
      "without them";
  cause.recommendation =
      "optimizer.zero_grad(set_to_none=True), the default of PyTorch 2: backward then writes "
      "gradients and does not add them to zeros, and they take no memory in between.";
  return cause;
}

// An op of the program's own that its backward shows to be slow.
std::optional<Cause> FindSlowForward(const RuleInput& input) {
  const std::optional<SlowForward> slow = SlowForwardOf(input);
  if (!slow || slow->forward.sums().LostPerStep() < kLowGain * input.step_ns() ||
      LieInFewSteps(input, slow->forward.sums().nodes()))
    return std::nullopt;
  const double left = 1 / std::min(slow->of_backward, slow->of_copy);
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    if (!slow->forward.Has(node)) continue;
    const auto ns = static_cast<double>(input.graph().nodes().DurationOf(node));
    without.SetDuration(node, static_cast<std::int64_t>(left * ns));
    sums.Add(node, (1 - left) * ns);
  }
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.gain_method = "bound";
  cause.confidence = 0.5;
  cause.is_unproven = true;
  cause.what = fmt::format(
      "{} takes {} of the device a step, {:.0f} times as long as its backward and {:.0f} times as "
      "long as a copy of its inputs",
      slow->op, TimeText(slow->forward.sums().LostPerStep()), slow->of_backward, slow->of_copy);
  cause.why =
      "kernels of an autograd.Function of the program's own; replayed in the time of its "
      "backward, which reads and computes at least as much, or of a copy if that is longer";
  cause.recommendation =
      "Compare its forward kernel with the backward one: loads and stores of neighbours by "
      "neighbours (coalesced), few values for each program of a large grid, other blocks and "
      "num_warps (triton.autotune). Try torch.compile on the same expression, or a library's "
      "kernel.";
  return cause;
}

std::optional<Cause> FindCostlyOp(const RuleInput& input) {
  const CostlyOps& costly = input.Shared<CostlyOps>();
  if (!costly.AreMuch()) {
    // What is certain comes first.
    std::optional<Cause> own = FindOwnOp(input);
    if (own && !own->is_unproven) return own;
    if (std::optional<Cause> fills = FindFilledGradients(input)) return fills;
    std::optional<Cause> slow = FindSlowForward(input);
    return slow ? std::move(slow) : std::move(own);
  }
  const Selection& work = costly.work();
  // Of single steps that is told (outlier-step).
  if (LieInFewSteps(input, work.sums().nodes())) return std::nullopt;
  std::map<std::string_view, double> by_op;
  for (const NodeId node : work.sums().nodes()) {
    const NodeKind& kind = input.graph().KindOf(node);
    if (costly.behind_sorts().Has(node)) continue;  // the sort has them
    by_op[CostlyFamilyOf(kind.op) == CostlyFamily::kNone ? kind.outer_op : kind.op] +=
        static_cast<double>(input.graph().nodes()[node].duration_ns);
  }
  const auto largest = std::max_element(
      by_op.begin(), by_op.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool samples = !costly.behind_sorts().sums().empty() &&
                       CostlyFamilyOf(largest->first) == CostlyFamily::kSort;
  const double on_device = work.sums().LostPerStep();
  const bool waits = on_device < kCostlyOp * input.step_ns();
  Cause cause;
  work.sums().TellIn(cause);
  cause.without = work.WithoutAndItsWaits();
  cause.gain_method = "bound";
  cause.confidence = 0.6;
  cause.what =
      fmt::format("{}{}{} {} of the device in {}, {} of the step{}", largest->first,
                  samples ? " of the vocabulary for top-p sampling" : "",
                  by_op.size() > 1 ? " and the like take" : " takes", TimeText(on_device),
                  CountAStep(work.sums().CountPerStep(), "kernel").text,
                  PercentText(on_device / input.step_ns()),
                  waits && work.HasWaits()
                      ? "; the host waits for its values, and the device for the host in turn"
                      : "");
  cause.recommendation =
      samples ? "Sampling needs no sorted vocabulary: keep the largest first (torch.topk, top_k "
                "beside top_p), and sort only these; or kernels that sample without a sort "
                "(FlashInfer's top_k_top_p_sampling_from_probs, VLLM_USE_FLASHINFER_SAMPLER=1)."
              : RemedyFor(largest->first);
  return cause;
}

}  // namespace

const Rule& CostlyOpRule() {
  static const Rule kRule{
      .id = "costly-op",
      .summary = "sorts, decompositions or fills take much of the step",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kDevice,
      .find = FindCostlyOp,
      .why =
          "kernels of ops that sort, count, decompose or fill (sort, unique, median, svd, qr, "
          "inverse, "
          "fill_, zero_); "
          "replayed without them and the host's waits in them, which is the most that can be had: "
          "whether the program needs them, the recording does not show",
      .command = "rankscope top ops TRACES",
  };
  return kRule;
}

}  // namespace rankscope
