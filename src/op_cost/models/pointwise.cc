#include <algorithm>
#include <array>
#include <cmath>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

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

struct Operands {
  std::size_t first;
  double out;              // elements of the result
  std::string_view dtype;  // that is computed with
  double bytes;            // that are read
};

// One or two tensors and scalars; a number in place of the first tensor leaves the second.
std::optional<Operands> OperandsOf(Inputs inputs) {
  const std::size_t first = HasTensor(inputs, 0) ? 0 : 1;
  if (!HasTensor(inputs, first)) return std::nullopt;
  Operands operands = {first, Size(inputs[first].shape()), inputs[first].dtype, 0};
  const auto bytes = BytesOf(inputs, first);
  if (!bytes) return std::nullopt;
  operands.bytes = *bytes;
  if (first == 0 && HasTensor(inputs, 1)) {
    operands.out = BroadcastSize(inputs[0].shape(), inputs[1].shape());
    operands.dtype = Promoted(inputs[0].dtype, inputs[1].dtype);
    operands.bytes += BytesOf(inputs, 1).value_or(0);
  }
  return operands;
}

OpCost CostOfOperands(const Operands& operands, double bytes_out) {
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = operands.dtype;
  cost.flops = operands.out;
  cost.bytes = operands.bytes + bytes_out * operands.out;
  return cost;
}

// One or two tensors and scalars in, one tensor out, of the wider dtype.
std::optional<OpCost> ElementwiseCost(Inputs inputs) {
  const auto operands = OperandsOf(inputs);
  if (!operands) return std::nullopt;
  return CostOfOperands(*operands, BytesOfDtype(operands->dtype).value_or(0));
}
// The result takes the place of the first tensor.
std::optional<OpCost> InPlaceCost(Inputs inputs) {
  const auto operands = OperandsOf(inputs);
  if (!operands || operands->first != 0) return std::nullopt;
  return CostOfOperands(*operands, BytesOfDtype(inputs[0].dtype).value_or(0));
}
// A comparison: the result is of truth values.
std::optional<OpCost> CompareCost(Inputs inputs) {
  const auto operands = OperandsOf(inputs);
  return operands ? std::optional(CostOfOperands(*operands, 1)) : std::nullopt;
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

// masked_fill(self, mask, value): the result is of self's dtype.
std::optional<OpCost> MaskedFillCost(Inputs inputs) {
  const auto self = BytesOf(inputs, 0);
  const auto mask = BytesOf(inputs, 1);
  if (!self || !mask || *self == 0 || *mask == 0) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.bytes = 2 * *self + *mask;
  return cost;
}

// tril, triu, flip, roll(self, ...): every element moves or not, none is computed.
std::optional<OpCost> MoveCost(Inputs inputs) {
  const auto self = BytesOf(inputs, 0);
  if (!self || *self == 0) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.bytes = 2 * *self;
  return cost;
}

// native_dropout(self, p, train): the result and a mask of a byte each.
std::optional<OpCost> DropoutCost(Inputs inputs) {
  auto cost = MoveCost(inputs);
  if (!cost) return std::nullopt;
  cost->flops = Size(ShapeOf(inputs, 0));
  cost->bytes += Size(ShapeOf(inputs, 0));
  return cost;
}

// glu(self, ...): one half, times the sigmoid of the other.
std::optional<OpCost> GluCost(Inputs inputs) {
  const auto self = BytesOf(inputs, 0);
  if (!self || *self == 0) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.flops = Size(ShapeOf(inputs, 0));
  cost.bytes = 1.5 * *self;
  return cost;
}
// silu_and_mul(out, x) of serving engines: x holds both halves.
std::optional<OpCost> GatedCost(Inputs inputs) {
  const auto out = BytesOf(inputs, 0);
  const auto x = BytesOf(inputs, 1);
  if (!out || !x || *x == 0 || Size(ShapeOf(inputs, 1)) != 2 * Size(ShapeOf(inputs, 0)))
    return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[1].dtype;
  cost.flops = 2 * Size(ShapeOf(inputs, 0));
  cost.bytes = *out + *x;
  return cost;
}
// LigerSiLUMulFunction(a, b): silu(a) b.
std::optional<OpCost> SiluMulCost(Inputs inputs) {
  auto cost = ElementwiseCost(inputs);
  if (!cost || !HasTensor(inputs, 1)) return std::nullopt;
  cost->flops *= 2;
  return cost;
}

// rotary_embedding(positions, query, key, head_size, cos_sin_cache, ...): two products and a sum
// per element that turns; a cache narrower than a head turns that part of it.
std::optional<OpCost> RotaryCost(Inputs inputs) {
  const auto query = BytesOf(inputs, 1);
  const auto key = BytesOf(inputs, 2);
  if (!query || !key || *query == 0) return std::nullopt;
  double share = 1;
  const Shape& cache = ShapeOf(inputs, 4);
  if (const auto head = IntOf(inputs, 3); head && *head > 0 && cache.size() == 2)
    share = std::min(1.0, static_cast<double>(cache[1]) / static_cast<double>(*head));
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[1].dtype;
  cost.flops = 3 * share * (Size(ShapeOf(inputs, 1)) + Size(ShapeOf(inputs, 2)));
  cost.bytes = 2 * share * (*query + *key);
  return cost;
}

// fbgemm's quantisation of floats by rows: a row of n bytes, as a multiple of 4, then two floats.
std::optional<OpCost> Fp8RowsCost(Inputs inputs) {
  const Shape& x = ShapeOf(inputs, 0);
  if (x.size() != 2 || inputs[0].dtype != "float") return std::nullopt;
  const auto rows = static_cast<double>(x[0]);
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  // The largest of each row, then the scaling.
  cost.flops = 2 * Size(x);
  cost.bytes = 4 * Size(x) + rows * (4 * std::ceil(static_cast<double>(x[1]) / 4) + 8);
  return cost;
}
std::optional<OpCost> Fp8RowsToFloatCost(Inputs inputs) {
  const Shape& x = ShapeOf(inputs, 0);
  if (x.size() != 2 || x[1] < 8 || BytesOfDtype(inputs[0].dtype) != 1) return std::nullopt;
  const double out = static_cast<double>(x[0]) * static_cast<double>(x[1] - 8);
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = "float";
  cost.flops = out;
  cost.bytes = Size(x) + 4 * out;
  return cost;
}
// Element by element, without scales: floats to `bytes_out` each.
std::optional<OpCost> CastCost(Inputs inputs, double bytes_out) {
  const auto x = BytesOf(inputs, 0);
  if (!x || *x == 0) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kElementwise;
  cost.dtype = inputs[0].dtype;
  cost.bytes = *x + bytes_out * Size(ShapeOf(inputs, 0));
  return cost;
}
std::optional<OpCost> ToBytesCost(Inputs inputs) { return CastCost(inputs, 1); }
std::optional<OpCost> ToHalvesCost(Inputs inputs) { return CastCost(inputs, 2); }
std::optional<OpCost> ToFloatsCost(Inputs inputs) { return CastCost(inputs, 4); }

// fill_(self, value), zero_(self), uniform_(self, ...): writes only.
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
    CostModel{"aten::sub", ElementwiseCost},
    CostModel{"aten::rsub", ElementwiseCost},
    CostModel{"aten::mul", ElementwiseCost},
    CostModel{"aten::div", ElementwiseCost},
    CostModel{"aten::neg", ElementwiseCost},
    CostModel{"aten::pow", ElementwiseCost},
    CostModel{"aten::sqrt", ElementwiseCost},
    CostModel{"aten::rsqrt", ElementwiseCost},
    CostModel{"aten::reciprocal", ElementwiseCost},
    CostModel{"aten::exp", ElementwiseCost},
    CostModel{"aten::expm1", ElementwiseCost},
    CostModel{"aten::log", ElementwiseCost},
    CostModel{"aten::log2", ElementwiseCost},
    CostModel{"aten::log10", ElementwiseCost},
    CostModel{"aten::log1p", ElementwiseCost},
    CostModel{"aten::sin", ElementwiseCost},
    CostModel{"aten::cos", ElementwiseCost},
    CostModel{"aten::erf", ElementwiseCost},
    CostModel{"aten::abs", ElementwiseCost},
    CostModel{"aten::sign", ElementwiseCost},
    CostModel{"aten::sgn", ElementwiseCost},
    CostModel{"aten::floor", ElementwiseCost},
    CostModel{"aten::ceil", ElementwiseCost},
    CostModel{"aten::round", ElementwiseCost},
    CostModel{"aten::trunc", ElementwiseCost},
    CostModel{"aten::frac", ElementwiseCost},
    CostModel{"aten::fmod", ElementwiseCost},
    CostModel{"aten::remainder", ElementwiseCost},
    CostModel{"aten::floor_divide", ElementwiseCost},
    CostModel{"aten::atan2", ElementwiseCost},
    CostModel{"aten::maximum", ElementwiseCost},
    CostModel{"aten::minimum", ElementwiseCost},
    CostModel{"aten::bitwise_and", ElementwiseCost},
    CostModel{"aten::bitwise_or", ElementwiseCost},
    CostModel{"aten::bitwise_xor", ElementwiseCost},
    CostModel{"aten::bitwise_not", ElementwiseCost},
    CostModel{"aten::clamp", ElementwiseCost},
    CostModel{"aten::clamp_min", ElementwiseCost},
    CostModel{"aten::clamp_max", ElementwiseCost},
    CostModel{"aten::nan_to_num", ElementwiseCost},
    CostModel{"aten::tanh", ElementwiseCost},
    CostModel{"aten::sigmoid", ElementwiseCost},
    CostModel{"aten::relu", ElementwiseCost},
    CostModel{"aten::gelu", ElementwiseCost},
    CostModel{"aten::silu", ElementwiseCost},
    CostModel{"aten::elu", ElementwiseCost},
    CostModel{"aten::celu", ElementwiseCost},
    CostModel{"aten::selu", ElementwiseCost},
    CostModel{"aten::leaky_relu", ElementwiseCost},
    CostModel{"aten::hardtanh", ElementwiseCost},
    CostModel{"aten::hardswish", ElementwiseCost},
    CostModel{"aten::hardsigmoid", ElementwiseCost},
    CostModel{"aten::mish", ElementwiseCost},
    CostModel{"aten::softplus", ElementwiseCost},
    CostModel{"aten::threshold", ElementwiseCost},
    CostModel{"aten::threshold_backward", ElementwiseCost},
    CostModel{"aten::gelu_backward", ElementwiseCost},
    CostModel{"aten::silu_backward", ElementwiseCost},
    CostModel{"aten::tanh_backward", ElementwiseCost},
    CostModel{"aten::sigmoid_backward", ElementwiseCost},
    CostModel{"aten::leaky_relu_backward", ElementwiseCost},
    CostModel{"aten::hardtanh_backward", ElementwiseCost},
    CostModel{"aten::hardswish_backward", ElementwiseCost},
    CostModel{"aten::hardsigmoid_backward", ElementwiseCost},
    CostModel{"aten::mish_backward", ElementwiseCost},
    CostModel{"aten::softplus_backward", ElementwiseCost},
    CostModel{"aten::add_", InPlaceCost},
    CostModel{"aten::sub_", InPlaceCost},
    CostModel{"aten::mul_", InPlaceCost},
    CostModel{"aten::div_", InPlaceCost},
    CostModel{"aten::neg_", InPlaceCost},
    CostModel{"aten::pow_", InPlaceCost},
    CostModel{"aten::sqrt_", InPlaceCost},
    CostModel{"aten::rsqrt_", InPlaceCost},
    CostModel{"aten::reciprocal_", InPlaceCost},
    CostModel{"aten::exp_", InPlaceCost},
    CostModel{"aten::log_", InPlaceCost},
    CostModel{"aten::abs_", InPlaceCost},
    CostModel{"aten::sin_", InPlaceCost},
    CostModel{"aten::cos_", InPlaceCost},
    CostModel{"aten::floor_", InPlaceCost},
    CostModel{"aten::round_", InPlaceCost},
    CostModel{"aten::clamp_", InPlaceCost},
    CostModel{"aten::clamp_min_", InPlaceCost},
    CostModel{"aten::clamp_max_", InPlaceCost},
    CostModel{"aten::tanh_", InPlaceCost},
    CostModel{"aten::sigmoid_", InPlaceCost},
    CostModel{"aten::relu_", InPlaceCost},
    CostModel{"aten::gelu_", InPlaceCost},
    CostModel{"aten::silu_", InPlaceCost},
    CostModel{"aten::elu_", InPlaceCost},
    CostModel{"aten::leaky_relu_", InPlaceCost},
    CostModel{"aten::hardtanh_", InPlaceCost},
    CostModel{"aten::hardswish_", InPlaceCost},
    CostModel{"aten::hardsigmoid_", InPlaceCost},
    CostModel{"aten::mish_", InPlaceCost},
    CostModel{"aten::threshold_", InPlaceCost},
    CostModel{"aten::bitwise_and_", InPlaceCost},
    CostModel{"aten::bitwise_or_", InPlaceCost},
    CostModel{"aten::eq", CompareCost},
    CostModel{"aten::ne", CompareCost},
    CostModel{"aten::lt", CompareCost},
    CostModel{"aten::le", CompareCost},
    CostModel{"aten::gt", CompareCost},
    CostModel{"aten::ge", CompareCost},
    CostModel{"aten::logical_and", CompareCost},
    CostModel{"aten::logical_or", CompareCost},
    CostModel{"aten::logical_xor", CompareCost},
    CostModel{"aten::logical_not", CompareCost},
    CostModel{"aten::isnan", CompareCost},
    CostModel{"aten::addcmul", ManyInputsCost},
    CostModel{"aten::addcmul_", ManyInputsCost},
    CostModel{"aten::addcdiv", ManyInputsCost},
    CostModel{"aten::addcdiv_", ManyInputsCost},
    CostModel{"aten::where", ManyInputsCost},
    CostModel{"aten::lerp", ManyInputsCost},
    CostModel{"aten::lerp_", ManyInputsCost},
    CostModel{"aten::elu_backward", ManyInputsCost},
    CostModel{"aten::log_sigmoid_backward", ManyInputsCost},
    CostModel{"aten::native_dropout_backward", ManyInputsCost},
    CostModel{"aten::glu_backward", ManyInputsCost},
    CostModel{"aten::masked_fill", MaskedFillCost},
    CostModel{"aten::masked_fill_", MaskedFillCost},
    CostModel{"aten::tril", MoveCost},
    CostModel{"aten::triu", MoveCost},
    CostModel{"aten::flip", MoveCost},
    CostModel{"aten::roll", MoveCost},
    CostModel{"aten::native_dropout", DropoutCost},
    CostModel{"aten::glu", GluCost},
    CostModel{"aten::fill_", FillCost},
    CostModel{"aten::zero_", FillCost},
    CostModel{"aten::uniform_", FillCost},
    CostModel{"aten::normal_", FillCost},
    CostModel{"aten::random_", FillCost},
    CostModel{"aten::bernoulli_", FillCost},
    CostModel{"aten::exponential_", FillCost},
    CostModel{"_C::silu_and_mul", GatedCost},
    CostModel{"_C::gelu_and_mul", GatedCost},
    CostModel{"_C::gelu_tanh_and_mul", GatedCost},
    CostModel{"sgl_kernel::silu_and_mul", GatedCost},
    CostModel{"sgl_kernel::gelu_and_mul", GatedCost},
    CostModel{"sgl_kernel::gelu_tanh_and_mul", GatedCost},
    CostModel{"aiter::silu_and_mul", GatedCost},
    CostModel{"LigerSiLUMulFunction", SiluMulCost},
    CostModel{"_C::rotary_embedding", RotaryCost},
    CostModel{"sgl_kernel::rotary_embedding", RotaryCost},
    CostModel{"fbgemm::FloatToFP8RowwiseQuantized", Fp8RowsCost},
    CostModel{"fbgemm::FP8RowwiseQuantizedToFloat", Fp8RowsToFloatCost},
    CostModel{"fbgemm::FloatToHFP8Quantized", ToBytesCost},
    CostModel{"fbgemm::HFP8QuantizedToFloat", ToFloatsCost},
    CostModel{"fbgemm::Bfloat16QuantizedToFloat", ToFloatsCost},
    CostModel{"fbgemm::FloatToBfloat16Quantized", ToHalvesCost},
};

}  // namespace

std::span<const CostModel> PointwiseModels() { return kPointwiseModels; }

}  // namespace rankscope
