#include <algorithm>
#include <array>
#include <string>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

// One dimension of a convolution's output; nullopt when it would be empty.
std::optional<std::int64_t> OutSize(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t padding, std::int64_t dilation) {
  if (stride <= 0 || kernel <= 0) return std::nullopt;
  const std::int64_t out = (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  return out > 0 ? std::optional(out) : std::nullopt;
}

// aten::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
// groups)
std::optional<OpCost> ConvolutionCost(Inputs inputs) {
  if (!HasTensor(inputs, 0) || !HasTensor(inputs, 1)) return std::nullopt;
  const Shape& x = inputs[0].shape();
  const Shape& w = inputs[1].shape();
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes || x.size() != w.size() || x.size() < 3) return std::nullopt;
  const std::size_t spatial = x.size() - 2;
  const Shape stride = ParseIntList(ValueOf(inputs, 3));
  const Shape padding = ParseIntList(ValueOf(inputs, 4));
  const Shape dilation = ParseIntList(ValueOf(inputs, 5));
  const bool is_transposed = ValueOf(inputs, 6) == "True";
  const Shape output_padding = ParseIntList(ValueOf(inputs, 7));
  if (stride.size() != spatial || padding.size() != spatial || dilation.size() != spatial)
    return std::nullopt;
  if (!AreSmall(x) || !AreSmall(w) || !AreSmall(stride) || !AreSmall(padding) ||
      !AreSmall(dilation) || !AreSmall(output_padding))
    return std::nullopt;
  double out = static_cast<double>(x[0]);
  for (std::size_t i = 0; i < spatial; ++i) {
    std::int64_t size = 0;
    if (is_transposed) {
      const std::int64_t extra = i < output_padding.size() ? output_padding[i] : 0;
      size = (x[i + 2] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (w[i + 2] - 1) + extra + 1;
      if (size <= 0) return std::nullopt;
    } else {
      const auto found = OutSize(x[i + 2], w[i + 2], stride[i], padding[i], dilation[i]);
      if (!found) return std::nullopt;
      size = *found;
    }
    out *= static_cast<double>(size);
  }
  std::int64_t groups = 1;
  if (const Shape parsed = ParseIntList("[" + std::string(ValueOf(inputs, 8)) + "]");
      parsed.size() == 1 && parsed[0] > 0 && AreSmall(parsed))
    groups = parsed[0];
  const std::int64_t out_channels = is_transposed ? w[1] * groups : w[0];
  out *= static_cast<double>(out_channels);
  OpCost cost;
  cost.family = CostFamily::kConvolution;
  cost.dtype = inputs[0].dtype;
  const double per_output = Size(w) / static_cast<double>(std::max<std::int64_t>(w[0], 1));
  cost.flops = 2 * (is_transposed ? Size(x) : out) * per_output;
  cost.bytes = *bytes * (Size(x) + Size(w) + out);
  if (HasTensor(inputs, 2)) {
    cost.flops += out;
    cost.bytes += *bytes * static_cast<double>(out_channels);
  }
  cost.fits_matrix_cores = IsMultiple(w[1], *bytes) && IsMultiple(w[0], *bytes) && *bytes <= 4;
  return cost;
}

// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
// transposed, output_padding, groups, output_mask)
std::optional<OpCost> ConvolutionBackwardCost(Inputs inputs) {
  if (!HasTensor(inputs, 0) || !HasTensor(inputs, 1) || !HasTensor(inputs, 2)) return std::nullopt;
  const Shape& dy = inputs[0].shape();
  const Shape& x = inputs[1].shape();
  const Shape& w = inputs[2].shape();
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes || w.empty() || w[0] == 0) return std::nullopt;
  const bool is_transposed = ValueOf(inputs, 7) == "True";
  const std::string_view mask = ValueOf(inputs, 10);
  const bool wants_input = mask.empty() || mask.starts_with("[True");
  const std::size_t comma = mask.find(',');
  const bool wants_weight =
      comma == std::string_view::npos || mask.substr(comma).starts_with(", True");
  OpCost cost;
  cost.family = CostFamily::kConvolution;
  cost.dtype = inputs[0].dtype;
  const double one = 2 * (is_transposed ? Size(x) : Size(dy)) * Size(w) / static_cast<double>(w[0]);
  cost.flops = one * (static_cast<int>(wants_input) + static_cast<int>(wants_weight));
  cost.bytes = *bytes * (Size(dy) + Size(x) + Size(w));
  if (wants_input) cost.bytes += *bytes * Size(x);
  if (wants_weight) cost.bytes += *bytes * Size(w);
  cost.fits_matrix_cores =
      w.size() > 1 && IsMultiple(w[1], *bytes) && IsMultiple(w[0], *bytes) && *bytes <= 4;
  return cost.flops > 0 ? std::optional(cost) : std::nullopt;
}

// DaoAILab::_causal_conv1d_fwd_cpp(x, weight, bias, ...): x is [B, C, T], each channel has a filter
// of its own, weight is [C, K].
std::optional<OpCost> CausalConvolutionCost(Inputs inputs) {
  const Shape& x = ShapeOf(inputs, 0);
  const Shape& w = ShapeOf(inputs, 1);
  if (x.size() != 3 || w.size() != 2 || x[1] != w[0]) return std::nullopt;
  const auto in = BytesOf(inputs, 0);
  const auto filters = BytesOf(inputs, 1);
  const auto bias = BytesOf(inputs, 2);
  if (!in || !filters || !bias) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kConvolution;
  cost.dtype = inputs[0].dtype;
  cost.flops = 2 * Size(x) * static_cast<double>(w[1]) + (HasTensor(inputs, 2) ? Size(x) : 0);
  cost.bytes = 2 * *in + *filters + *bias;
  return cost;
}

constexpr std::array kConvolutionModels = {
    CostModel{"aten::convolution", ConvolutionCost},
    CostModel{"aten::_convolution", ConvolutionCost},
    CostModel{"aten::convolution_backward", ConvolutionBackwardCost},
    CostModel{"DaoAILab::_causal_conv1d_fwd_cpp", CausalConvolutionCost},
};

}  // namespace

std::span<const CostModel> ConvolutionModels() { return kConvolutionModels; }

}  // namespace rankscope
