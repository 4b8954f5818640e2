#include <algorithm>
#include <array>

#include "analysis/roofline/op_cost/input_facts.h"
#include "analysis/roofline/op_cost/models.h"

namespace rankscope {
namespace {

// The shape that two shapes broadcast to, in elements.
double BroadcastSize(const Shape& a, const Shape& b) {
  double elements = 1;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    elements *= static_cast<double>(std::max(left, right));
  }
  return elements;
}

// One or two tensors and scalars in, one tensor out. An op whose name ends with '_' writes its
// first input, so that no more is known to be read of a copy's target.
std::optional<OpCost> ElementwiseCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  const Shape& first = inputs[0].shape();
  const Shape& second = ShapeOf(inputs, 1);
  const double out = BroadcastSize(first, second);
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.flops = out;
  cost.bytes = *bytes * (Size(first) + out);
  if (!second.empty()) cost.bytes += BytesOfDtype(inputs[1].dtype).value_or(*bytes) * Size(second);
  return cost;
}

// copy_(target, source): reads the source, writes the target.
std::optional<OpCost> CopyCost(Inputs inputs) {
  if (!HasTensor(inputs, 0) || !HasTensor(inputs, 1)) return std::nullopt;
  const auto target = BytesOfDtype(inputs[0].dtype);
  const auto source = BytesOfDtype(inputs[1].dtype);
  if (!target || !source) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.flops = 0;
  cost.bytes = *target * Size(inputs[0].shape()) + *source * Size(inputs[1].shape());
  return cost;
}

// addcmul_(self, a, b), where(condition, a, b), ...: every tensor is read, one as large as the
// largest and of the widest dtype (a condition is one of bytes) is written.
std::optional<OpCost> ManyInputsCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  double largest = 0;
  double widest = 0;
  for (const OpInput& input : inputs) {
    if (!input.is_tensor()) continue;
    const auto bytes = BytesOfDtype(input.dtype);
    if (!bytes) return std::nullopt;
    largest = std::max(largest, Size(input.shape()));
    cost.bytes += *bytes * Size(input.shape());
    if (*bytes <= widest) continue;
    widest = *bytes;
    cost.dtype = input.dtype;
  }
  cost.flops = largest;
  cost.bytes += widest * largest;
  return cost;
}

// fill_(self, value), zero_(self): writes only.
std::optional<OpCost> FillCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.bytes = *bytes * Size(inputs[0].shape());
  return cost;
}

constexpr std::array kPointwiseModels = {
    CostModel{"aten::copy_", CopyCost},
    CostModel{"aten::add", ElementwiseCost},
    CostModel{"aten::add_", ElementwiseCost},
    CostModel{"aten::sub", ElementwiseCost},
    CostModel{"aten::sub_", ElementwiseCost},
    CostModel{"aten::mul", ElementwiseCost},
    CostModel{"aten::mul_", ElementwiseCost},
    CostModel{"aten::div", ElementwiseCost},
    CostModel{"aten::div_", ElementwiseCost},
    CostModel{"aten::neg", ElementwiseCost},
    CostModel{"aten::pow", ElementwiseCost},
    CostModel{"aten::sqrt", ElementwiseCost},
    CostModel{"aten::rsqrt", ElementwiseCost},
    CostModel{"aten::exp", ElementwiseCost},
    CostModel{"aten::tanh", ElementwiseCost},
    CostModel{"aten::sigmoid", ElementwiseCost},
    CostModel{"aten::relu", ElementwiseCost},
    CostModel{"aten::clamp_min", ElementwiseCost},
    CostModel{"aten::threshold_backward", ElementwiseCost},
    CostModel{"aten::gelu", ElementwiseCost},
    CostModel{"aten::gelu_backward", ElementwiseCost},
    CostModel{"aten::silu", ElementwiseCost},
    CostModel{"aten::silu_backward", ElementwiseCost},
    CostModel{"aten::tanh_backward", ElementwiseCost},
    CostModel{"aten::sigmoid_backward", ElementwiseCost},
    CostModel{"aten::sqrt_", ElementwiseCost},
    CostModel{"aten::addcmul", ManyInputsCost},
    CostModel{"aten::addcmul_", ManyInputsCost},
    CostModel{"aten::addcdiv", ManyInputsCost},
    CostModel{"aten::addcdiv_", ManyInputsCost},
    CostModel{"aten::where", ManyInputsCost},
    CostModel{"aten::lerp_", ManyInputsCost},
    CostModel{"aten::fill_", FillCost},
    CostModel{"aten::zero_", FillCost},
};

}  // namespace

std::span<const CostModel> PointwiseModels() { return kPointwiseModels; }

}  // namespace rankscope
