#include <array>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

OpCost Loss(std::string_view dtype, double flops, double bytes) {
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = dtype;
  cost.flops = flops;
  cost.bytes = bytes;
  return cost;
}

// Bytes of a result: one per target when `reduction` is 0, else one.
double ResultBytes(Inputs inputs, std::size_t reduction, double results, double bytes) {
  return IntOf(inputs, reduction).value_or(1) == 0 ? results * bytes : bytes;
}

// cross_entropy_loss(x, target, weight, reduction, ...) with what it is made of: log_softmax, then
// the loss. 5 per logit: the largest, a difference, its exponential, their sum, and again a
// difference.
std::optional<OpCost> CrossEntropyCost(Inputs inputs) {
  const auto x = BytesOf(inputs, 0);
  const auto target = BytesOf(inputs, 1);
  if (!x || !target || *x == 0 || *target == 0) return std::nullopt;
  const double bytes = BytesOfDtype(inputs[0].dtype).value_or(0);
  return Loss(inputs[0].dtype, 5 * Size(ShapeOf(inputs, 0)),
              *x + *target + ResultBytes(inputs, 3, Size(ShapeOf(inputs, 1)), bytes));
}

// nll_loss_forward(x, target, weight, reduction, ...): reads one of the classes of each target.
std::optional<OpCost> NllCost(Inputs inputs) {
  const auto target = BytesOf(inputs, 1);
  if (!HasTensor(inputs, 0) || !target || *target == 0) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  const double targets = Size(ShapeOf(inputs, 1));
  return Loss(inputs[0].dtype, targets,
              *bytes * targets + *target + ResultBytes(inputs, 3, targets, *bytes));
}
// nll_loss_backward(dy, x, target, ...): writes a gradient for every class, all but one of them 0.
std::optional<OpCost> NllBackwardCost(Inputs inputs) {
  const auto dx = BytesOf(inputs, 1);
  const auto target = BytesOf(inputs, 2);
  if (!dx || !target || *dx == 0 || *target == 0) return std::nullopt;
  return Loss(inputs[1].dtype, Size(ShapeOf(inputs, 2)), *dx + *target);
}

// mse_loss(x, target, reduction): a difference, its square, their sum.
std::optional<OpCost> MseCost(Inputs inputs) {
  const auto x = BytesOf(inputs, 0);
  const auto target = BytesOf(inputs, 1);
  if (!x || !target || *x == 0 || *target == 0) return std::nullopt;
  const double bytes = BytesOfDtype(inputs[0].dtype).value_or(0);
  return Loss(inputs[0].dtype, 3 * Size(ShapeOf(inputs, 0)),
              *x + *target + ResultBytes(inputs, 2, Size(ShapeOf(inputs, 0)), bytes));
}
// mse_loss_backward(dy, x, target, reduction): a difference, scaled.
std::optional<OpCost> MseBackwardCost(Inputs inputs) {
  const auto dy = BytesOf(inputs, 0);
  const auto x = BytesOf(inputs, 1);
  const auto target = BytesOf(inputs, 2);
  if (!dy || !x || !target || *x == 0 || *target == 0) return std::nullopt;
  return Loss(inputs[1].dtype, 2 * Size(ShapeOf(inputs, 1)), *dy + 2 * *x + *target);
}

constexpr std::array kLossModels = {
    CostModel{"aten::cross_entropy_loss", CrossEntropyCost},
    CostModel{"aten::nll_loss_forward", NllCost},
    CostModel{"aten::nll_loss_backward", NllBackwardCost},
    CostModel{"aten::nll_loss2d_forward", NllCost},
    CostModel{"aten::nll_loss2d_backward", NllBackwardCost},
    CostModel{"aten::mse_loss", MseCost},
    CostModel{"aten::mse_loss_backward", MseBackwardCost},
};

}  // namespace

std::span<const CostModel> LossModels() { return kLossModels; }

}  // namespace rankscope
