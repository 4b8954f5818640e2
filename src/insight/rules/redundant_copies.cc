// redundant-copies: copies and casts on the device that could be avoided.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/attention_parts.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/loss_parts.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsCopy(const NodeKind& kind) {
  if (kind.phase == Phase::kOptimizer) return false;
  const bool is_on_device =
      kind.work == Work::kCompute ||
      (kind.work == Work::kCopy && kind.name.find("DtoD") != std::string::npos);
  return is_on_device && (kind.op == "aten::contiguous" || kind.op == "aten::clone" ||
                          kind.op == "aten::copy_" || kind.op == "aten::reshape");
}

// Casts are launched by aten::copy_; by the op around it where that was not recorded. Then it is
// not known what calls them, and norms and softmax cast as well.
bool IsOfOpAround(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase != Phase::kOptimizer &&
         (kind.op == "aten::_to_copy" || kind.op == "aten::to");
}
// So they count from this part of the step on.
constexpr double kMuchByOpAround = 0.05;

// Of the weights that the job's layers multiply by: the last matrix of a product of the forward
// pass, the second input of a convolution. "[[3072], [16384, 768], [768, 3072], [], []]"
class WeightShapes {
 public:
  explicit WeightShapes(const RuleInput& input) {
    for (const NodeKind& kind : input.graph().kinds()) {
      const bool is_layer = kind.op == "aten::addmm" || kind.op == "aten::mm" ||
                            kind.op == "aten::linear" || kind.op == "aten::convolution";
      if (!is_layer || kind.phase != Phase::kForward) continue;
      std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
      std::erase_if(inputs, [](const auto& sizes) { return sizes.size() < 2; });
      if (inputs.size() < 2) continue;
      Add(inputs[1]);
    }
  }

  // Autocast's own: a weight to the type of the products, or its gradient back.
  bool IsCastOf(const NodeKind& copy) const {
    const std::vector<std::vector<std::int64_t>> inputs = SizesOf(copy.shapes);
    return !inputs.empty() && shapes_.contains(inputs.front());
  }

 private:
  void Add(std::vector<std::int64_t> shape) {
    shapes_.insert(shape);
    if (shape.size() == 2) shapes_.insert({shape[1], shape[0]});
  }
  std::set<std::vector<std::int64_t>> shapes_;
};

// By the names of PyTorch's kernels: "...::bfloat16_copy_kernel_cuda", one that loads or stores
// with a cast, and the path of gpu_kernel_impl that is taken where types differ.
bool IsCast(const NodeKind& kind) {
  const auto has = [&](std::string_view part) { return kind.name.find(part) != std::string::npos; };
  return has("16_copy_kernel") || has("LoadWithCast") || has("StoreWithCast") ||
         (has("gpu_kernel_impl<") && has("copy_kernel"));
}

// A cast in an op that the program called for something else: autocast's own, of an input to the
// type in which the op computes, and its gradient back; or the engine's, of a gradient to the type
// of what it is of. `.to()` and `.float()` are the program's.
bool IsOfOp(const NodeKind& cast) {
  constexpr std::array<std::string_view, 7> kConversions = {
      "aten::to",         "aten::_to_copy", "aten::type_as", "aten::copy_",
      "aten::contiguous", "aten::clone",    "aten::reshape"};
  if (cast.outer_op.starts_with("autograd::engine::")) return true;
  return cast.outer_op.starts_with("aten::") &&
         std::ranges::find(kConversions, cast.outer_op) == kConversions.end();
}

// What copies are, of all steps.
class Copies {
 public:
  explicit Copies(const RuleInput& input)
      : input_(input),
        attention_(input.Shared<AttentionParts>()),
        loss_(input.Shared<LossParts>()),
        weights_(input),
        all_(input),
        casts_(input),
        of_weights_(input),
        long_(input) {
    const JobGraph& graph = input.graph();
    const KindsThat are_copies(graph, IsCopy), are_of_op_around(graph, IsOfOpAround);
    NodeSums around(input);
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (are_of_op_around.Has(node))
        around.Add(node, static_cast<double>(graph.nodes().DurationOf(node)));
    }
    around_ns_ = around.LostPerStep();
    const bool count_around = around_ns_ >= kMuchByOpAround * input.step_ns();
    if (!count_around) around_ns_ = 0;
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const bool is_one = are_copies.Has(node) || (count_around && are_of_op_around.Has(node));
      if (graph.StepOf(node) != kNoStep && is_one) Add(node);
    }
  }

  const NodeSums& all() const { return all_.sums(); }
  double casts_ns() const { return casts_.sums().LostPerStep(); }
  // Whether most of them are known by the op around them alone.
  bool AreOfOpsAround() const { return 2 * around_ns_ > all_.sums().LostPerStep(); }
  const Selection& of_weights() const { return of_weights_; }
  bool has_autocast() const { return has_autocast_; }

  // Launching a kernel as short as its launch is what launch-bound is about: such a copy takes its
  // device no time then, and its host what it took.
  Scenario Without() const {
    Scenario without = long_.Without();
    for (NodeId node = 0; node < input_.graph().nodes().size(); ++node) {
      if (all_.Has(node) && !long_.Has(node)) without.SetDuration(node, 0);
    }
    return without;
  }
  std::string LaunchingText(const Scenario& without) const { return long_.LaunchingText(without); }

 private:
  void Add(NodeId node) {
    const NodeKind& kind = input_.graph().KindOf(node);
    const bool is_cast = IsCast(kind);
    if (is_cast && weights_.IsCastOf(kind)) of_weights_.Add(node);
    if (is_cast && (weights_.IsCastOf(kind) || IsOfOp(kind))) {
      has_autocast_ = true;
      return;
    }
    if (attention_.Claims(node) || loss_.Claims(node)) return;
    all_.Add(node);
    if (is_cast) casts_.Add(node);
    if (static_cast<double>(input_.graph().nodes().DurationOf(node)) >= kShortKernelNs)
      long_.Add(node);
  }

  const RuleInput& input_;
  const AttentionParts& attention_;
  const LossParts& loss_;
  WeightShapes weights_;
  Selection all_, casts_, of_weights_, long_;
  bool has_autocast_ = false;
  double around_ns_ = 0;  // in a step
};

std::string_view AdviceForCasts(bool has_autocast) {
  if (has_autocast)
    return "Keep activations in one type from layer to layer: norms, softmax and rotary embeddings "
           "that take and give the model's type (fused kernels, torch.compile), no .float() and "
           ".to(dtype) inside the model.";
  return "Keep one type from layer to layer: norms, softmax and rotary embeddings that take and "
         "give the model's type (fused kernels, torch.compile), autocast around all of it, no "
         ".float() and .to(dtype) inside the model.";
}

// Autocast keeps weights in fp32 and casts each where it is used, once in a region of autocast, and
// its gradient back. That is usual, and little beside large batches.
std::optional<Cause> CauseOfWeights(const RuleInput& input, const Selection& casts) {
  constexpr double kMuchOfStep = 0.05;
  if (casts.sums().LostPerStep() < kMuchOfStep * input.step_ns()) return std::nullopt;
  Cause cause;
  casts.sums().TellIn(cause);
  cause.is_trade = true;
  cause.without = casts.Without();
  cause.what =
      fmt::format("weights and their gradients are cast between types {}, {}",
                  TimesAStep(casts.sums().CountPerStep()), TimeText(casts.sums().LostPerStep()));
  cause.why = "casts of tensors in the shapes of the weights that products take; replayed without";
  cause.recommendation =
      "Keep the weights in the type in which they are multiplied, with a copy in fp32 in the "
      "optimizer alone (FSDP's MixedPrecision(param_dtype=torch.bfloat16), an optimizer with "
      "master "
      "weights). One region of autocast around all micro-batches and recomputed layers casts each "
      "weight once (cache_enabled=True). Larger micro-batches use a cast for more.";
  return cause;
}

std::optional<Cause> FindRedundantCopies(const RuleInput& input) {
  const Copies copies(input);
  const double lost = copies.all().LostPerStep();
  if (lost < kLowGain * input.step_ns()) return CauseOfWeights(input, copies.of_weights());
  const double of_casts = copies.casts_ns();
  Cause cause;
  copies.all().TellIn(cause);
  cause.without = copies.Without();
  const CountWords count = CountAStep(copies.all().CountPerStep(), "copy");
  cause.what = fmt::format(
      "{} of tensors from device to device take{} {}{}{}", count.text, count.verb_ending,
      TimeText(lost),
      of_casts > 0 ? fmt::format(", {} of it casts between types", TimeText(of_casts)) : "",
      copies.LaunchingText(*cause.without));
  cause.is_unproven = copies.AreOfOpsAround();
  if (2 * of_casts > lost) cause.recommendation = AdviceForCasts(copies.has_autocast());
  return cause;
}

}  // namespace

const Rule& RedundantCopiesRule() {
  static const Rule kRule{
      .id = "redundant-copies",
      .summary = "copies and casts on the device that could be avoided",
      .takes = Takes::kCopies,
      .find = FindRedundantCopies,
      .why =
          "kernels and copies launched by aten::contiguous, clone, copy_, to and reshape outside "
          "of "
          "the optimizer",
      .recommendation =
          "Keep one memory layout from layer to layer (channels_last, or transpose inside the "
          "kernel that reads), drop .contiguous() and .clone() whose result nobody writes, use "
          "views.",
      .command = "rankscope table ops_by_name TRACES",
  };
  return kRule;
}

}  // namespace rankscope
