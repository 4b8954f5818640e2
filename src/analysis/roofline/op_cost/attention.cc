#include <array>

#include "analysis/roofline/op_cost/input_facts.h"
#include "analysis/roofline/op_cost/models.h"

namespace rankscope {
namespace {

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

constexpr std::array kAttentionModels = {
    CostModel{"aten::_scaled_dot_product_flash_attention", FlashCost},
    CostModel{"aten::_scaled_dot_product_efficient_attention", EfficientCost},
    CostModel{"aten::_scaled_dot_product_cudnn_attention", EfficientCost},
    CostModel{"aten::_scaled_dot_product_flash_attention_backward", FlashBackwardCost},
};

}  // namespace

std::span<const CostModel> AttentionModels() { return kAttentionModels; }

}  // namespace rankscope
