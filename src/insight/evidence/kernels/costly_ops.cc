#include "insight/evidence/kernels/costly_ops.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "insight/base/thresholds.h"

namespace rankscope {
namespace {

// Below this part of the step on the device no replay is made to see what their waits cost.
constexpr double kLeastOfDevice = 0.01;

// index_put_(accumulate=True), which the gradient of x[index] is: it sorts the indices, and adds
// what has the same one in its order. Without it nothing is sorted.
bool AddsByIndex(const NodeKind& kind) {
  return Contains(kind.name, "indexing_backward") || Contains(kind.name, "RadixSort");
}

bool IsCostly(std::string_view op, const NodeKind& kind) {
  const CostlyFamily family = CostlyFamilyOf(op);
  return family == CostlyFamily::kIndexedAdd ? AddsByIndex(kind) : family != CostlyFamily::kNone;
}

bool IsOfCostlyOp(const NodeKind& kind) {
  return IsDevice(kind.work) && (IsCostly(kind.op, kind) || IsCostly(kind.outer_op, kind));
}

}  // namespace

CostlyFamily CostlyFamilyOf(std::string_view op) {
  constexpr std::array<std::string_view, 12> kSorts = {
      "aten::sort",      "aten::argsort",  "aten::msort", "aten::_unique",
      "aten::unique",    "aten::median",   "aten::mode",  "aten::kthvalue",
      "aten::nanmedian", "aten::quantile", "aten::histc", "aten::bincount"};
  constexpr std::array<std::string_view, 10> kDecompositions = {
      "aten::linalg_",  "aten::_linalg_", "aten::svd", "aten::symeig", "aten::qr",
      "aten::cholesky", "aten::inverse",  "aten::lu",  "aten::geqrf",  "aten::matrix_exp"};
  constexpr std::array<std::string_view, 4> kFills = {"aten::fill_", "aten::zero_",
                                                      "aten::_foreach_zero_", "aten::full"};
  constexpr std::array<std::string_view, 3> kIndexed = {"aten::_index_put_impl_", "aten::index_put",
                                                        "aten::_unsafe_index_put"};
  const auto is_of = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view begin) { return op.starts_with(begin); });
  };
  // Norms, products and cross products are no decompositions.
  constexpr std::array<std::string_view, 8> kOrdinary = {
      "aten::linalg_vector_norm", "aten::linalg_norm",    "aten::linalg_matrix_norm",
      "aten::linalg_cross",       "aten::linalg_vecdot",  "aten::linalg_matmul",
      "aten::linalg_multi_dot",   "aten::linalg_diagonal"};
  if (is_of(kOrdinary)) return CostlyFamily::kNone;
  if (is_of(kSorts)) return CostlyFamily::kSort;
  if (is_of(kFills)) return CostlyFamily::kFill;
  if (is_of(kIndexed)) return CostlyFamily::kIndexedAdd;
  return is_of(kDecompositions) ? CostlyFamily::kDecomposition : CostlyFamily::kNone;
}

CostlyOps::CostlyOps(const RuleInput& input) : work_(SelectKinds(input, IsOfCostlyOp)) {
  const double on_device = work_.sums().LostPerStep();
  if (work_.sums().empty() || on_device < kLeastOfDevice * input.step_ns()) return;
  are_much_ =
      on_device >= kCostlyOp * input.step_ns() ||
      (input.fidelity().refused.empty() && input.GainOf(work_.WithoutAndItsWaits()) >= kCostlyOp);
}

}  // namespace rankscope
