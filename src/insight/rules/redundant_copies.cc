// redundant-copies: copies and casts on the device that could be avoided.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/selection.h"
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

// By the names of PyTorch's kernels: "...::bfloat16_copy_kernel_cuda", one that loads or stores
// with a cast, and the path of gpu_kernel_impl that is taken where types differ.
bool IsCast(const NodeKind& kind) {
  const auto has = [&](std::string_view part) { return kind.name.find(part) != std::string::npos; };
  return has("16_copy_kernel") || has("LoadWithCast") || has("StoreWithCast") ||
         (has("gpu_kernel_impl<") && has("copy_kernel"));
}

std::optional<Cause> Find(const RuleInput& input) {
  const Selection copies = Select(input, [](NodeId, const NodeKind& kind) { return IsCopy(kind); });
  if (copies.sums().LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  const Selection casts =
      Select(input, [](NodeId, const NodeKind& kind) { return IsCopy(kind) && IsCast(kind); });
  const double of_casts = casts.sums().LostPerStep();
  Cause cause;
  copies.sums().TellIn(cause);
  cause.without = copies.Without();
  cause.what = fmt::format(
      "{:.3g} copies a step of tensors from device to device take {}{}{}",
      copies.sums().CountPerStep(), TimeText(copies.sums().LostPerStep()),
      of_casts > 0 ? fmt::format(", {} of it casts between types", TimeText(of_casts)) : "",
      copies.LaunchingText(*cause.without));
  if (2 * of_casts > copies.sums().LostPerStep())
    cause.recommendation =
        "Keep one type from layer to layer: norms, softmax and rotary embeddings that take and "
        "give "
        "the model's type (fused kernels, torch.compile), autocast around all of it, no .float() "
        "and .to(dtype) inside the model.";
  return cause;
}

}  // namespace

const Rule& RedundantCopiesRule() {
  static const Rule kRule{
      .id = "redundant-copies",
      .summary = "copies and casts on the device that could be avoided",
      .takes = Takes::kCopies,
      .find = Find,
      .why =
          "kernels and copies launched by aten::contiguous, clone, copy_ and reshape outside of "
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
