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

std::optional<Cause> Find(const RuleInput& input) {
  const Selection copies = Select(input, [](NodeId, const NodeKind& kind) { return IsCopy(kind); });
  if (copies.sums().LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  Cause cause;
  copies.sums().TellIn(cause);
  cause.without = copies.Without();
  cause.what = fmt::format("{:.3g} copies a step of tensors from device to device take {}{}",
                           copies.sums().CountPerStep(), TimeText(copies.sums().LostPerStep()),
                           copies.LaunchingText(*cause.without));
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
