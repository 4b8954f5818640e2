#include <algorithm>
#include <array>
#include <cstdint>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

// layer_norm(input, normalized_shape, weight, bias, ...), batch_norm(input, weight, bias, ...).
std::optional<OpCost> NormalisationCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  double channels = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) channels = std::max(channels, Size(inputs[i].shape()));
  }
  const double elements = Size(inputs[0].shape());
  OpCost cost;
  cost.family = CostFamily::kNormalisation;
  cost.dtype = inputs[0].dtype;
  cost.flops = 5 * elements + 6 * channels;
  cost.bytes = *bytes * 2 * (elements + channels);
  return cost;
}

// Where a backward op has its tensors; SIZE_MAX for what it does not have.
struct BackwardInputs {
  std::size_t x, dy, weight, mean, deviation, mask;
};

// Per element: x^ = (x - mean) / deviation is 2, its gradient's two sums with dy w are 4, and
// putting them together is 4; the weight's gradient adds 2, the bias's 1. RMS norm has no mean to
// take away and one sum: 7. `mask` says which gradients are wanted; where it was not recorded,
// those of x and of a weight are.
std::optional<OpCost> BackwardCost(Inputs inputs, const BackwardInputs& at, double per_element,
                                   bool has_bias) {
  const auto x = BytesOf(inputs, at.x);
  const auto dy = BytesOf(inputs, at.dy);
  const auto weight = BytesOf(inputs, at.weight);
  const auto mean = BytesOf(inputs, at.mean);
  const auto deviation = BytesOf(inputs, at.deviation);
  if (!HasTensor(inputs, at.x) || !HasTensor(inputs, at.dy)) return std::nullopt;
  if (!x || !dy || !weight || !mean || !deviation) return std::nullopt;
  const std::string_view mask = ValueOf(inputs, at.mask);
  const bool wants_x = mask.empty() || mask.starts_with("[True");
  const bool wants_weight = *weight > 0 && (mask.empty() || mask.find(", True") != mask.npos);
  const double elements = Size(inputs[at.x].shape());
  OpCost cost;
  cost.family = CostFamily::kNormalisation;
  cost.dtype = inputs[at.x].dtype;
  cost.bytes = *x + *dy + *weight + *mean + *deviation;
  // The normalised input is needed either way.
  cost.flops = wants_x ? per_element * elements : 2 * elements;
  if (wants_x) cost.bytes += *x;
  if (wants_weight) {
    cost.flops += (has_bias ? 3 : 2) * elements;
    cost.bytes += (has_bias ? 2 : 1) * *weight;
  }
  return cost;
}

// native_layer_norm_backward(dy, x, normalized_shape, mean, rstd, weight, bias, mask)
std::optional<OpCost> LayerNormBackward(Inputs inputs) {
  return BackwardCost(inputs, {1, 0, 5, 3, 4, 7}, 10, true);
}
// native_group_norm_backward(dy, x, mean, rstd, weight, N, C, HxW, group, mask)
std::optional<OpCost> GroupNormBackward(Inputs inputs) {
  return BackwardCost(inputs, {1, 0, 4, 2, 3, 9}, 10, true);
}
// native_batch_norm_backward(dy, x, weight, running_mean, running_var, mean, invstd, train, eps,
// mask); batch_norm_backward has the same order.
std::optional<OpCost> BatchNormBackward(Inputs inputs) {
  return BackwardCost(inputs, {1, 0, 2, 5, 6, 9}, 10, true);
}
// cudnn_batch_norm_backward(x, dy, weight, running_mean, running_var, mean, var, eps, ...);
// miopen's has the same order.
std::optional<OpCost> CudnnBatchNormBackward(Inputs inputs) {
  return BackwardCost(inputs, {0, 1, 2, 5, 6, SIZE_MAX}, 10, true);
}
// _fused_rms_norm_backward(dy, x, normalized_shape, rstd, weight, mask)
std::optional<OpCost> RmsNormBackward(Inputs inputs) {
  return BackwardCost(inputs, {1, 0, 4, SIZE_MAX, 3, 5}, 7, false);
}

// RMS norms of serving engines: `tensors` tensors as large as the one at `x` are read or written.
// A square and a sum, the root's factor and the weight's are 4 per element; adding a residual first
// is one more.
std::optional<OpCost> ServedCost(Inputs inputs, std::size_t x, std::size_t weight, double tensors,
                                 double per_element) {
  const auto bytes = BytesOf(inputs, x);
  const auto bytes_of_weight = BytesOf(inputs, weight);
  if (!bytes || !bytes_of_weight || *bytes == 0 || *bytes_of_weight == 0) return std::nullopt;
  if (ShapeOf(inputs, x).back() != ShapeOf(inputs, weight).back()) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kNormalisation;
  cost.dtype = inputs[x].dtype;
  cost.flops = per_element * Size(ShapeOf(inputs, x));
  cost.bytes = tensors * *bytes + *bytes_of_weight;
  return cost;
}
// rms_norm(out, x, weight, ...)
std::optional<OpCost> ServedRmsNorm(Inputs inputs) { return ServedCost(inputs, 1, 2, 2, 4); }
// rms_norm(x, weight, ...), which gives the result back.
std::optional<OpCost> ReturnedRmsNorm(Inputs inputs) { return ServedCost(inputs, 0, 1, 2, 4); }
// fused_add_rms_norm(x, residual, weight, ...): both are read and written.
std::optional<OpCost> ServedAddRmsNorm(Inputs inputs) { return ServedCost(inputs, 0, 2, 4, 5); }
// add_rmsnorm(out, x, residual, residual_out, weight, ...)
std::optional<OpCost> AiterAddRmsNorm(Inputs inputs) { return ServedCost(inputs, 1, 4, 4, 5); }

constexpr std::array kNormalisationModels = {
    CostModel{"aten::native_layer_norm", NormalisationCost},
    CostModel{"aten::layer_norm", NormalisationCost},
    CostModel{"aten::rms_norm", NormalisationCost},
    CostModel{"aten::native_group_norm", NormalisationCost},
    CostModel{"aten::batch_norm", NormalisationCost},
    CostModel{"aten::native_batch_norm", NormalisationCost},
    CostModel{"aten::cudnn_batch_norm", NormalisationCost},
    CostModel{"aten::miopen_batch_norm", NormalisationCost},
    CostModel{"aten::_batch_norm_with_update", NormalisationCost},
    CostModel{"aten::_fused_rms_norm", NormalisationCost},
    CostModel{"aten::native_layer_norm_backward", LayerNormBackward},
    CostModel{"aten::native_group_norm_backward", GroupNormBackward},
    CostModel{"aten::native_batch_norm_backward", BatchNormBackward},
    CostModel{"aten::batch_norm_backward", BatchNormBackward},
    CostModel{"aten::cudnn_batch_norm_backward", CudnnBatchNormBackward},
    CostModel{"aten::miopen_batch_norm_backward", CudnnBatchNormBackward},
    CostModel{"aten::_fused_rms_norm_backward", RmsNormBackward},
    CostModel{"_C::rms_norm", ServedRmsNorm},
    CostModel{"sgl_kernel::rmsnorm", ServedRmsNorm},
    CostModel{"aiter::rmsnorm", ServedRmsNorm},
    CostModel{"aiter::rms_norm", ReturnedRmsNorm},
    CostModel{"_C::fused_add_rms_norm", ServedAddRmsNorm},
    CostModel{"sgl_kernel::fused_add_rmsnorm", ServedAddRmsNorm},
    CostModel{"aiter::add_rmsnorm", AiterAddRmsNorm},
    CostModel{"aiter::rmsnorm2d_fwd_with_add_ck", AiterAddRmsNorm},
};

}  // namespace

std::span<const CostModel> NormalisationModels() { return kNormalisationModels; }

}  // namespace rankscope
