// costly-op: sorts and decompositions of matrices take much of the step.
//
// Such ops run far from what a device can do, by their nature: they go over their data many times,
// or in many small kernels one behind the other. A model rarely needs one on the path of a step;
// statistics that somebody looks at do.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

enum class Family { kNone, kSort, kDecomposition };

Family FamilyOf(std::string_view op) {
  constexpr std::array<std::string_view, 12> kSorts = {
      "aten::sort",      "aten::argsort",  "aten::msort", "aten::_unique",
      "aten::unique",    "aten::median",   "aten::mode",  "aten::kthvalue",
      "aten::nanmedian", "aten::quantile", "aten::histc", "aten::bincount"};
  constexpr std::array<std::string_view, 10> kDecompositions = {
      "aten::linalg_",  "aten::_linalg_", "aten::svd", "aten::symeig", "aten::qr",
      "aten::cholesky", "aten::inverse",  "aten::lu",  "aten::geqrf",  "aten::matrix_exp"};
  const auto is_of = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view begin) { return op.starts_with(begin); });
  };
  // Norms, products and cross products are no decompositions.
  constexpr std::array<std::string_view, 8> kOrdinary = {
      "aten::linalg_vector_norm", "aten::linalg_norm",    "aten::linalg_matrix_norm",
      "aten::linalg_cross",       "aten::linalg_vecdot",  "aten::linalg_matmul",
      "aten::linalg_multi_dot",   "aten::linalg_diagonal"};
  if (is_of(kOrdinary)) return Family::kNone;
  if (is_of(kSorts)) return Family::kSort;
  return is_of(kDecompositions) ? Family::kDecomposition : Family::kNone;
}

std::string_view RemedyFor(Family family) {
  if (family == Family::kSort)
    return "torch.topk where the largest are enough; sort fewer rows or fewer bits (bfloat16, "
           "int16 keys), once for all that needs the order. What is only looked at: every "
           "hundredth "
           "step, of a sample.";
  return "What is only looked at: every hundredth step, on another stream. The largest singular "
         "value by a few power iterations, a few of them by torch.svd_lowrank; batch equal sizes "
         "in "
         "one call; torch.backends.cuda.preferred_linalg_library('cusolver' or 'magma').";
}

std::optional<Cause> Find(const RuleInput& input) {
  const Selection work = SelectKinds(input, [](const NodeKind& kind) {
    return IsDevice(kind.work) && FamilyOf(kind.op) != Family::kNone;
  });
  if (work.sums().empty() || work.sums().LostPerStep() < kCostlyOp * input.step_ns())
    return std::nullopt;
  std::map<std::string, double> by_op;
  for (const NodeId node : work.sums().nodes()) {
    by_op[input.graph().KindOf(node).op] +=
        static_cast<double>(input.graph().nodes()[node].duration_ns);
  }
  const auto largest = std::max_element(
      by_op.begin(), by_op.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const Family family = FamilyOf(largest->first);
  Cause cause;
  work.sums().TellIn(cause);
  cause.without = work.WithoutAndItsWaits();
  cause.gain_method = "bound";
  cause.confidence = 0.6;
  cause.what = fmt::format("{}{} {} of the device in {} kernels a step, {} of the step",
                           largest->first, by_op.size() > 1 ? " and the like take" : " takes",
                           TimeText(work.sums().LostPerStep()),
                           static_cast<std::int64_t>(work.sums().CountPerStep()),
                           PercentText(work.sums().LostPerStep() / input.step_ns()));
  cause.recommendation = RemedyFor(family);
  return cause;
}

}  // namespace

const Rule& CostlyOpRule() {
  static const Rule kRule{
      .id = "costly-op",
      .summary = "sorts and decompositions of matrices take much of the step",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kDevice,
      .find = Find,
      .why =
          "kernels of ops that sort, count or decompose (sort, unique, median, svd, qr, inverse); "
          "replayed without them and the host's waits in them, which is the most that can be had: "
          "whether the program needs them, the recording does not show",
      .command = "rankscope top ops TRACES",
  };
  return kRule;
}

}  // namespace rankscope
