// Optimizers and other ops on lists of tensors. The trace has the shapes of a list but not its
// dtype; ListDtypes finds that elsewhere, and without it these ops have no cost.
#include <array>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

// `lists` lists from the first on are read and `written` lists as large as the first are written.
std::optional<OpCost> ListCost(Inputs inputs, CostFamily family, std::size_t lists, double written,
                               double per_element) {
  if (inputs.empty()) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  const double first = SizeOfList(inputs, 0);
  if (!bytes || first == 0) return std::nullopt;
  OpCost cost;
  cost.family = family;
  cost.dtype = inputs[0].dtype;
  cost.flops = per_element * first;
  cost.bytes = *bytes * written * first;
  for (std::size_t i = 0; i < lists; ++i) {
    // What is no list, or one of other tensors, is another form of the op: a number, say.
    const double elements = SizeOfList(inputs, i);
    if (elements == first) cost.bytes += *bytes * elements;
  }
  return cost;
}

// _fused_adam_(parameters, gradients, means, squares, largest squares, steps, ...): the mean takes
// 3 per element, the square 4, the step 5; decaying weights, 2 more, are not recorded as such.
// Without amsgrad the list of largest squares is empty.
std::optional<OpCost> FusedAdamCost(Inputs inputs) {
  const bool has_largest = SizeOfList(inputs, 4) > 0;
  return ListCost(inputs, CostFamily::kOptimizer, 5, has_largest ? 4 : 3, 12);
}
// _fused_sgd_(parameters, gradients, momenta, ...)
std::optional<OpCost> FusedSgdCost(Inputs inputs) {
  const bool has_momentum = SizeOfList(inputs, 2) > 0;
  return ListCost(inputs, CostFamily::kOptimizer, 3, has_momentum ? 2 : 1, has_momentum ? 4 : 2);
}
// _fused_adagrad_(parameters, gradients, sums, steps, ...)
std::optional<OpCost> FusedAdagradCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 3, 2, 7);
}

// One or two lists in, one out: a new one or the first.
std::optional<OpCost> ForeachCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 2, 1, 1);
}
// addcmul, addcdiv(lists, a, b, factor): a product or ratio, scaled, and a sum.
std::optional<OpCost> ForeachThreeCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 3, 1, 3);
}
// lerp(lists, ends, weight): a difference, scaled, and a sum.
std::optional<OpCost> ForeachLerpCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 2, 1, 3);
}
std::optional<OpCost> ForeachZeroCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 0, 1, 0);
}
// norm: one result per tensor, too small to count.
std::optional<OpCost> ForeachNormCost(Inputs inputs) {
  return ListCost(inputs, CostFamily::kOptimizer, 1, 0, 2);
}

constexpr std::array kOptimizerModels = {
    CostModel{"aten::_fused_adam_", FusedAdamCost},
    CostModel{"aten::_fused_adamw_", FusedAdamCost},
    CostModel{"aten::_fused_sgd_", FusedSgdCost},
    CostModel{"aten::_fused_adagrad_", FusedAdagradCost},
    CostModel{"aten::_foreach_add", ForeachCost},
    CostModel{"aten::_foreach_add_", ForeachCost},
    CostModel{"aten::_foreach_sub", ForeachCost},
    CostModel{"aten::_foreach_sub_", ForeachCost},
    CostModel{"aten::_foreach_mul", ForeachCost},
    CostModel{"aten::_foreach_mul_", ForeachCost},
    CostModel{"aten::_foreach_div", ForeachCost},
    CostModel{"aten::_foreach_div_", ForeachCost},
    CostModel{"aten::_foreach_neg", ForeachCost},
    CostModel{"aten::_foreach_neg_", ForeachCost},
    CostModel{"aten::_foreach_pow", ForeachCost},
    CostModel{"aten::_foreach_sqrt", ForeachCost},
    CostModel{"aten::_foreach_sqrt_", ForeachCost},
    CostModel{"aten::_foreach_reciprocal_", ForeachCost},
    CostModel{"aten::_foreach_maximum_", ForeachCost},
    CostModel{"aten::_foreach_addcmul_", ForeachThreeCost},
    CostModel{"aten::_foreach_addcdiv_", ForeachThreeCost},
    CostModel{"aten::_foreach_lerp_", ForeachLerpCost},
    CostModel{"aten::_foreach_zero_", ForeachZeroCost},
    CostModel{"aten::_foreach_norm", ForeachNormCost},
};

}  // namespace

std::span<const CostModel> OptimizerModels() { return kOptimizerModels; }

}  // namespace rankscope
