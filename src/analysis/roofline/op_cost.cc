#include "analysis/roofline/op_cost.h"

#include <algorithm>
#include <array>
#include <span>

namespace rankscope {
namespace {

using Inputs = std::span<const OpInput>;

// Elements as a double; 0 for what is no tensor.
double Size(const Shape& shape) {
  if (shape.empty()) return 0;
  double elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

bool HasTensor(Inputs inputs, std::size_t i) { return i < inputs.size() && inputs[i].is_tensor(); }

const Shape& ShapeOf(Inputs inputs, std::size_t i) {
  static const Shape kNone;
  return i < inputs.size() ? inputs[i].shape() : kNone;
}

std::string_view ValueOf(Inputs inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i].value : std::string_view();
}

bool IsMultiple(std::int64_t elements, double bytes) {
  return static_cast<std::int64_t>(static_cast<double>(elements) * bytes) % 16 == 0;
}

struct Gemm {
  double b, m, n, k;
};

// A is [m, k] or [b, m, k], B is [k, n] or [b, k, n].
std::optional<Gemm> GemmOf(const Shape& a, const Shape& b) {
  if (a.size() != b.size() || (a.size() != 2 && a.size() != 3)) return std::nullopt;
  const std::size_t last = a.size() - 1;
  if (a[last] != b[last - 1] || (a.size() == 3 && a[0] != b[0])) return std::nullopt;
  return Gemm{a.size() == 3 ? static_cast<double>(a[0]) : 1, static_cast<double>(a[last - 1]),
              static_cast<double>(b[last]), static_cast<double>(a[last])};
}

// `a` is the index of the first factor; `bias` that of what is added, or SIZE_MAX.
std::optional<OpCost> MatmulCost(Inputs inputs, std::size_t a, std::size_t bias) {
  if (!HasTensor(inputs, a) || !HasTensor(inputs, a + 1)) return std::nullopt;
  const Shape& left = inputs[a].shape();
  const Shape& right = inputs[a + 1].shape();
  const auto gemm = GemmOf(left, right);
  const auto bytes_left = BytesOfDtype(inputs[a].dtype);
  const auto bytes_right = BytesOfDtype(inputs[a + 1].dtype);
  if (!gemm || !bytes_left || !bytes_right) return std::nullopt;
  const auto& [b, m, n, k] = *gemm;
  OpCost cost;
  cost.family = CostFamily::kMatmul;
  cost.dtype = inputs[a].dtype;
  cost.flops = 2 * b * m * n * k;
  // fp8 factors give a product of two bytes.
  const double bytes_out = std::max(*bytes_left, *bytes_left == 1 ? 2.0 : *bytes_left);
  cost.bytes = b * (m * k * *bytes_left + k * n * *bytes_right + m * n * bytes_out);
  if (HasTensor(inputs, bias)) {
    cost.flops += b * m * n;
    cost.bytes += Size(inputs[bias].shape()) * BytesOfDtype(inputs[bias].dtype).value_or(bytes_out);
  }
  cost.fits_matrix_cores = IsMultiple(left.back(), *bytes_left) &&
                           IsMultiple(right.back(), *bytes_right) && *bytes_left <= 4;
  return cost;
}

std::optional<OpCost> MmCost(Inputs inputs) { return MatmulCost(inputs, 0, SIZE_MAX); }
std::optional<OpCost> AddmmCost(Inputs inputs) { return MatmulCost(inputs, 1, 0); }

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
      parsed.size() == 1 && parsed[0] > 0)
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

struct Attention {
  double b, hq, hk, nq, nk, dqk, dv;
};

// q, k and v are [B, H, N, D].
std::optional<Attention> AttentionOf(const Shape& q, const Shape& k, const Shape& v) {
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  if (k[2] != v[2] || q[3] != k[3]) return std::nullopt;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  return Attention{number(q[0]), number(q[1]), number(k[1]), number(q[2]),
                   number(k[2]), number(q[3]), number(v[3])};
}

double PairsOf(const Attention& a, bool is_causal) {
  if (!is_causal) return a.nq * a.nk;
  // Row i of the queries sees the keys up to nk - nq + i.
  return a.nq <= a.nk ? a.nq * a.nk - a.nq * (a.nq - 1) / 2 : a.nk * (a.nk + 1) / 2;
}

// `q` is the index of the query; `causal` that of the flag.
std::optional<OpCost> AttentionCost(Inputs inputs, std::size_t q, std::size_t causal,
                                    bool is_backward) {
  if (!HasTensor(inputs, q) || !HasTensor(inputs, q + 1) || !HasTensor(inputs, q + 2))
    return std::nullopt;
  const auto shape = AttentionOf(inputs[q].shape(), inputs[q + 1].shape(), inputs[q + 2].shape());
  const auto bytes = BytesOfDtype(inputs[q].dtype);
  const std::string_view flag = ValueOf(inputs, causal);
  // Half of the work hangs on the flag.
  if (!shape || !bytes || (flag != "True" && flag != "False")) return std::nullopt;
  const Attention& a = *shape;
  const double pairs = PairsOf(a, flag == "True");
  OpCost cost;
  cost.family = CostFamily::kAttention;
  cost.dtype = inputs[q].dtype;
  const double queries = a.b * a.nq * a.hq;
  const double keys = a.b * a.nk * a.hk;
  if (is_backward) {
    cost.flops = 2 * a.b * a.hq * pairs * (3 * a.dqk + 2 * a.dv);
    cost.bytes = *bytes * 2 * (queries * (a.dqk + a.dv) + keys * (a.dqk + a.dv));
  } else {
    cost.flops = 2 * a.b * a.hq * pairs * (a.dqk + a.dv);
    cost.bytes = *bytes * (queries * (a.dqk + a.dv) + keys * (a.dqk + a.dv));
  }
  cost.fits_matrix_cores = *bytes <= 2 && IsMultiple(static_cast<std::int64_t>(a.dqk), *bytes);
  return cost;
}

// _scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, ...)
std::optional<OpCost> FlashCost(Inputs inputs) { return AttentionCost(inputs, 0, 4, false); }
// _scaled_dot_product_efficient_attention(q, k, v, bias, compute_lse, dropout_p, is_causal, ...);
// cuDNN's has the same order.
std::optional<OpCost> EfficientCost(Inputs inputs) { return AttentionCost(inputs, 0, 6, false); }
// _scaled_dot_product_flash_attention_backward(grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k,
// dropout_p, is_causal, ...)
std::optional<OpCost> FlashBackwardCost(Inputs inputs) {
  return AttentionCost(inputs, 1, 11, true);
}

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

// sum, mean, ...(input, dims, keepdim): the sizes of the reduced dimensions vanish.
std::optional<OpCost> ReductionCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  const Shape& x = inputs[0].shape();
  std::string_view dims = ValueOf(inputs, 1);
  double out = 1;
  if (dims.starts_with('[') && dims != "[]") {
    std::vector<bool> is_reduced(x.size(), false);
    dims = dims.substr(1, dims.size() - 2);
    while (!dims.empty()) {
      const std::string_view word = dims.substr(0, dims.find(", "));
      dims.remove_prefix(std::min(dims.size(), word.size() + 2));
      const bool is_negative = word.starts_with('-');
      const Shape number = ParseIntList("[" + std::string(word.substr(is_negative ? 1 : 0)) + "]");
      if (number.size() != 1) return std::nullopt;
      const std::int64_t at =
          is_negative ? static_cast<std::int64_t>(x.size()) - number[0] : number[0];
      if (at < 0 || at >= static_cast<std::int64_t>(x.size())) return std::nullopt;
      is_reduced[static_cast<std::size_t>(at)] = true;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!is_reduced[i]) out *= static_cast<double>(x[i]);
    }
  }
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = inputs[0].dtype;
  cost.flops = Size(x);
  cost.bytes = *bytes * (Size(x) + out);
  return cost;
}

std::optional<OpCost> SoftmaxCost(Inputs inputs, double flops, double passes) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = inputs[0].dtype;
  cost.flops = flops * Size(inputs[0].shape());
  cost.bytes = passes * *bytes * Size(inputs[0].shape());
  return cost;
}
std::optional<OpCost> SoftmaxForwardCost(Inputs inputs) { return SoftmaxCost(inputs, 3, 2); }
std::optional<OpCost> SoftmaxBackwardCost(Inputs inputs) { return SoftmaxCost(inputs, 6, 3); }

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

struct Model {
  std::string_view op;
  std::optional<OpCost> (*cost)(Inputs);
};

constexpr std::array kModels = {
    Model{"aten::mm", MmCost},
    Model{"aten::bmm", MmCost},
    Model{"aten::_scaled_mm", MmCost},
    Model{"aten::addmm", AddmmCost},
    Model{"aten::_addmm_activation", AddmmCost},
    Model{"aten::baddbmm", AddmmCost},
    Model{"aten::convolution", ConvolutionCost},
    Model{"aten::_convolution", ConvolutionCost},
    Model{"aten::convolution_backward", ConvolutionBackwardCost},
    Model{"aten::_scaled_dot_product_flash_attention", FlashCost},
    Model{"aten::_scaled_dot_product_efficient_attention", EfficientCost},
    Model{"aten::_scaled_dot_product_cudnn_attention", EfficientCost},
    Model{"aten::_scaled_dot_product_flash_attention_backward", FlashBackwardCost},
    Model{"aten::copy_", CopyCost},
    Model{"aten::add", ElementwiseCost},
    Model{"aten::add_", ElementwiseCost},
    Model{"aten::sub", ElementwiseCost},
    Model{"aten::sub_", ElementwiseCost},
    Model{"aten::mul", ElementwiseCost},
    Model{"aten::mul_", ElementwiseCost},
    Model{"aten::div", ElementwiseCost},
    Model{"aten::div_", ElementwiseCost},
    Model{"aten::neg", ElementwiseCost},
    Model{"aten::pow", ElementwiseCost},
    Model{"aten::sqrt", ElementwiseCost},
    Model{"aten::rsqrt", ElementwiseCost},
    Model{"aten::exp", ElementwiseCost},
    Model{"aten::tanh", ElementwiseCost},
    Model{"aten::sigmoid", ElementwiseCost},
    Model{"aten::relu", ElementwiseCost},
    Model{"aten::clamp_min", ElementwiseCost},
    Model{"aten::threshold_backward", ElementwiseCost},
    Model{"aten::gelu", ElementwiseCost},
    Model{"aten::gelu_backward", ElementwiseCost},
    Model{"aten::silu", ElementwiseCost},
    Model{"aten::silu_backward", ElementwiseCost},
    Model{"aten::tanh_backward", ElementwiseCost},
    Model{"aten::sigmoid_backward", ElementwiseCost},
    Model{"aten::sqrt_", ElementwiseCost},
    Model{"aten::addcmul", ManyInputsCost},
    Model{"aten::addcmul_", ManyInputsCost},
    Model{"aten::addcdiv", ManyInputsCost},
    Model{"aten::addcdiv_", ManyInputsCost},
    Model{"aten::where", ManyInputsCost},
    Model{"aten::lerp_", ManyInputsCost},
    Model{"aten::fill_", FillCost},
    Model{"aten::zero_", FillCost},
    Model{"aten::sum", ReductionCost},
    Model{"aten::mean", ReductionCost},
    Model{"aten::amax", ReductionCost},
    Model{"aten::amin", ReductionCost},
    Model{"aten::_softmax", SoftmaxForwardCost},
    Model{"aten::_log_softmax", SoftmaxForwardCost},
    Model{"aten::_softmax_backward_data", SoftmaxBackwardCost},
    Model{"aten::_log_softmax_backward_data", SoftmaxBackwardCost},
    Model{"aten::native_layer_norm", NormalisationCost},
    Model{"aten::layer_norm", NormalisationCost},
    Model{"aten::rms_norm", NormalisationCost},
    Model{"aten::native_group_norm", NormalisationCost},
    Model{"aten::batch_norm", NormalisationCost},
    Model{"aten::native_batch_norm", NormalisationCost},
    Model{"aten::cudnn_batch_norm", NormalisationCost},
};

const Model* FindModel(std::string_view op) {
  const auto found =
      std::find_if(kModels.begin(), kModels.end(), [&](const Model& m) { return m.op == op; });
  return found == kModels.end() ? nullptr : &*found;
}

}  // namespace

std::string_view ToString(CostFamily family) {
  static constexpr std::string_view kNames[] = {"matmul",      "convolution", "attention",
                                                "elementwise", "reduction",   "normalisation"};
  return kNames[static_cast<std::size_t>(family)];
}

bool HasCostModel(std::string_view op) { return FindModel(op) != nullptr; }

std::optional<OpCost> CostOf(std::string_view op, const std::vector<OpInput>& inputs) {
  const Model* model = FindModel(op);
  return model == nullptr ? std::nullopt : model->cost(inputs);
}

}  // namespace rankscope
