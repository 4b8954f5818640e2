#include <algorithm>
#include <array>

#include "op_cost/models/attention_pairs.h"
#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

enum class Layout { kHeadsFirst, kTokensFirst };  // [B, H, N, D] or [B, N, H, D]

struct Attention {
  double b, hq, hk, nq, nk, dqk, dv;
};

double Number(std::int64_t value) { return static_cast<double>(value); }

std::optional<Attention> AttentionOf(Inputs inputs, std::size_t query, Layout layout) {
  const Shape& q = ShapeOf(inputs, query);
  const Shape& k = ShapeOf(inputs, query + 1);
  const Shape& v = ShapeOf(inputs, query + 2);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  const std::size_t n = layout == Layout::kHeadsFirst ? 2 : 1;
  const std::size_t h = 3 - n;
  if (k[n] != v[n] || q[3] != k[3]) return std::nullopt;
  return Attention{Number(q[0]), Number(q[h]), Number(k[h]), Number(q[n]),
                   Number(k[n]), Number(q[3]), Number(v[3])};
}

// `pairs` of all sequences, `queries` and `keys` of tokens times heads.
std::optional<OpCost> CostOfPairs(Inputs inputs, std::size_t query, const Attention& a,
                                  double pairs, bool is_backward) {
  const auto bytes = BytesOfDtype(inputs[query].dtype);
  if (!bytes) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kAttention;
  cost.dtype = inputs[query].dtype;
  const double queries = a.b * a.nq * a.hq;
  const double keys = a.b * a.nk * a.hk;
  const double products = is_backward ? 3 * a.dqk + 2 * a.dv : a.dqk + a.dv;
  cost.flops = 2 * a.hq * pairs * products;
  cost.bytes = (is_backward ? 2 : 1) * *bytes * (queries + keys) * (a.dqk + a.dv);
  cost.fits_matrix_cores = *bytes <= 2 && IsMultiple(static_cast<std::int64_t>(a.dqk), *bytes);
  return cost;
}

std::optional<OpCost> DenseCost(Inputs inputs, std::size_t query, Layout layout,
                                const std::optional<Mask>& mask, bool is_backward) {
  const auto a = AttentionOf(inputs, query, layout);
  if (!a || !mask) return std::nullopt;
  return CostOfPairs(inputs, query, *a, a->b * PairsOf(a->nq, a->nk, *mask), is_backward);
}

// nullopt when the flag was not recorded: half of the work hangs on it.
std::optional<Mask> CausalMask(Inputs inputs, std::size_t flag, bool is_aligned_at_end) {
  const auto is_causal = FlagOf(inputs, flag);
  if (!is_causal) return std::nullopt;
  return Mask{kUnlimited, *is_causal ? 0 : kUnlimited, is_aligned_at_end};
}

// With windows at `left` and `left` + 1, which older versions do not have.
std::optional<Mask> WindowMask(Inputs inputs, std::size_t flag, std::size_t left) {
  auto mask = CausalMask(inputs, flag, true);
  if (!mask) return std::nullopt;
  const auto side = [&](std::size_t i) {
    return static_cast<double>(std::max<std::int64_t>(IntOf(inputs, i).value_or(-1), -1));
  };
  mask->left = side(left);
  if (mask->right < 0) mask->right = side(left + 1);
  return mask;
}

// A tuple of both windows, of an autograd function: only without any.
std::optional<Mask> TupleMask(Inputs inputs, std::size_t flag, std::size_t windows) {
  const std::string_view text = ValueOf(inputs, windows);
  const bool has_none = text.empty() || text == "[-1, -1]" || text == "(-1, -1)";
  return has_none ? CausalMask(inputs, flag, true) : std::nullopt;
}

// custom_mask_type of memory-efficient attention: none, causal from the first or from the last key.
std::optional<Mask> TypedMask(Inputs inputs, std::size_t type, std::size_t window) {
  const auto number = IntOf(inputs, type);
  if (!number || *number < 0 || *number > 2 || IntOf(inputs, window).value_or(0) > 0)
    return std::nullopt;
  return Mask{kUnlimited, *number == 0 ? kUnlimited : 0, *number == 2};
}

// Sequences one behind the other, [tokens, H, D]; `lengths` is the index of the bounds of the
// queries' sequences and `lengths` + 2 that of the longest one's length, each followed by that of
// the keys. The lengths themselves are not recorded. Of sequences that attend to themselves, the
// sum of the squares is smallest when all but the longest are equally long.
std::optional<OpCost> PackedCost(Inputs inputs, std::size_t query, std::size_t lengths,
                                 const std::optional<Mask>& mask, bool is_backward) {
  const Shape& q = ShapeOf(inputs, query);
  const Shape& k = ShapeOf(inputs, query + 1);
  const Shape& v = ShapeOf(inputs, query + 2);
  const Shape& bounds = ShapeOf(inputs, lengths);
  const auto longest_query = IntOf(inputs, lengths + 2);
  const auto longest_key = IntOf(inputs, lengths + 3);
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || bounds.size() != 1 || bounds[0] < 2)
    return std::nullopt;
  if (!mask || k[0] != v[0] || q[2] != k[2]) return std::nullopt;
  const Attention all = {
      1, Number(q[1]), Number(k[1]), Number(q[0]), Number(k[0]), Number(q[2]), Number(v[2])};
  const double count = Number(bounds[0]) - 1;
  if (count == 1)
    return CostOfPairs(inputs, query, all, PairsOf(all.nq, all.nk, *mask), is_backward);
  if (!longest_query || longest_query != longest_key || q[0] != k[0]) return std::nullopt;
  const double longest = Number(*longest_query);
  if (longest > all.nq || longest * count < all.nq) return std::nullopt;
  const double other = (all.nq - longest) / (count - 1);
  const double pairs =
      PairsOf(longest, longest, *mask) + (count - 1) * PairsOf(other, other, *mask);
  auto cost = CostOfPairs(inputs, query, all, pairs, is_backward);
  if (cost) cost->is_lower_bound = longest * count > all.nq;
  return cost;
}

// aten::_scaled_dot_product_flash_attention(q, k, v, dropout_p, is_causal, ...)
std::optional<OpCost> SdpaFlash(Inputs inputs) {
  return DenseCost(inputs, 0, Layout::kHeadsFirst, CausalMask(inputs, 4, true), false);
}
// ..._backward(grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k, dropout_p, is_causal, ...)
std::optional<OpCost> SdpaFlashBackward(Inputs inputs) {
  return DenseCost(inputs, 1, Layout::kHeadsFirst, CausalMask(inputs, 11, true), true);
}
// aten::_scaled_dot_product_efficient_attention(q, k, v, bias, compute_lse, dropout_p, is_causal,
// ...); cuDNN's has the same order.
std::optional<OpCost> SdpaEfficient(Inputs inputs) {
  return DenseCost(inputs, 0, Layout::kHeadsFirst, CausalMask(inputs, 6, false), false);
}
// ..._backward(grad, q, k, v, bias, out, lse, seed, offset, dropout_p, grad_mask, is_causal, ...)
std::optional<OpCost> SdpaEfficientBackward(Inputs inputs) {
  return DenseCost(inputs, 1, Layout::kHeadsFirst, CausalMask(inputs, 11, false), true);
}
// aten::_scaled_dot_product_cudnn_attention_backward(grad, q, k, v, out, lse, seed, offset, bias,
// cum_q, cum_k, max_q, max_k, dropout_p, is_causal, ...)
std::optional<OpCost> SdpaCudnnBackward(Inputs inputs) {
  return DenseCost(inputs, 1, Layout::kHeadsFirst, CausalMask(inputs, 14, false), true);
}
// aten::_scaled_dot_product_fused_attention_overrideable(q, k, v, bias, dropout_p, is_causal, ...)
std::optional<OpCost> SdpaFused(Inputs inputs) {
  return DenseCost(inputs, 0, Layout::kHeadsFirst, CausalMask(inputs, 5, false), false);
}
// ..._backward(grad, q, k, v, bias, grad_mask, out, lse, cum_q, cum_k, max_q, max_k, dropout_p,
// is_causal, ...)
std::optional<OpCost> SdpaFusedBackward(Inputs inputs) {
  return DenseCost(inputs, 1, Layout::kHeadsFirst, CausalMask(inputs, 13, false), true);
}

// aten::_flash_attention_forward(q, k, v, cum_q, cum_k, max_q, max_k, dropout_p, is_causal,
// return_debug_mask, scale, window_left, window_right, ...)
std::optional<OpCost> AtenFlash(Inputs inputs) {
  const auto mask = WindowMask(inputs, 8, 11);
  return HasTensor(inputs, 3) ? PackedCost(inputs, 0, 3, mask, false)
                              : DenseCost(inputs, 0, Layout::kTokensFirst, mask, false);
}
// ..._backward(grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k, dropout_p, is_causal, seed,
// offset, scale, window_left, window_right)
std::optional<OpCost> AtenFlashBackward(Inputs inputs) {
  const auto mask = WindowMask(inputs, 11, 15);
  return HasTensor(inputs, 6) ? PackedCost(inputs, 1, 6, mask, true)
                              : DenseCost(inputs, 1, Layout::kTokensFirst, mask, true);
}
// aten::_efficient_attention_forward(q, k, v, bias, cum_q, cum_k, max_q, max_k, dropout_p,
// mask_type, compute_lse, scale, seqlen_k, window)
std::optional<OpCost> AtenEfficient(Inputs inputs) {
  if (HasTensor(inputs, 4) || HasTensor(inputs, 12)) return std::nullopt;
  return DenseCost(inputs, 0, Layout::kTokensFirst, TypedMask(inputs, 9, 13), false);
}
// ..._backward(grad, q, k, v, bias, out, cum_q, cum_k, max_q, max_k, lse, dropout_p, seed, offset,
// mask_type, bias_requires_grad, scale, splits, window)
std::optional<OpCost> AtenEfficientBackward(Inputs inputs) {
  if (HasTensor(inputs, 6)) return std::nullopt;
  return DenseCost(inputs, 1, Layout::kTokensFirst, TypedMask(inputs, 14, 18), true);
}

// flash_attn::_flash_attn_forward(q, k, v, dropout_p, scale, causal, window_left, window_right,
// ...)
std::optional<OpCost> FlashAttn(Inputs inputs) {
  return DenseCost(inputs, 0, Layout::kTokensFirst, WindowMask(inputs, 5, 6), false);
}
// ..._backward(grad, q, k, v, out, lse, dq, dk, dv, dropout_p, scale, causal, window_left,
// window_right, ...)
std::optional<OpCost> FlashAttnBackward(Inputs inputs) {
  return DenseCost(inputs, 1, Layout::kTokensFirst, WindowMask(inputs, 11, 12), true);
}
// flash_attn::_flash_attn_varlen_forward(q, k, v, cum_q, cum_k, max_q, max_k, dropout_p, scale,
// causal, window_left, window_right, ...). With a table of blocks keys are [blocks, size, H, D],
// and nothing says how many of them are used.
std::optional<OpCost> FlashAttnPacked(Inputs inputs) {
  return PackedCost(inputs, 0, 3, WindowMask(inputs, 9, 10), false);
}
// ..._backward(grad, q, k, v, out, lse, dq, dk, dv, cum_q, cum_k, max_q, max_k, dropout_p, scale,
// causal, window_left, window_right, ...)
std::optional<OpCost> FlashAttnPackedBackward(Inputs inputs) {
  return PackedCost(inputs, 1, 9, WindowMask(inputs, 15, 16), true);
}
// FlashAttnFunc(q, k, v, dropout_p, scale, causal, windows, ...)
std::optional<OpCost> FlashAttnFunction(Inputs inputs) {
  return DenseCost(inputs, 0, Layout::kTokensFirst, TupleMask(inputs, 5, 6), false);
}
// FlashAttnVarlenFunc(q, k, v, cum_q, cum_k, max_q, max_k, dropout_p, scale, causal, windows, ...)
std::optional<OpCost> FlashAttnPackedFunction(Inputs inputs) {
  return PackedCost(inputs, 0, 3, TupleMask(inputs, 9, 10), false);
}

constexpr std::array kAttentionModels = {
    CostModel{"aten::_scaled_dot_product_flash_attention", SdpaFlash},
    CostModel{"aten::_scaled_dot_product_flash_attention_backward", SdpaFlashBackward},
    CostModel{"aten::_scaled_dot_product_efficient_attention", SdpaEfficient},
    CostModel{"aten::_scaled_dot_product_efficient_attention_backward", SdpaEfficientBackward},
    CostModel{"aten::_scaled_dot_product_cudnn_attention", SdpaEfficient},
    CostModel{"aten::_scaled_dot_product_cudnn_attention_backward", SdpaCudnnBackward},
    CostModel{"aten::_scaled_dot_product_fused_attention_overrideable", SdpaFused},
    CostModel{"aten::_scaled_dot_product_fused_attention_overrideable_backward", SdpaFusedBackward},
    CostModel{"aten::_flash_attention_forward", AtenFlash},
    CostModel{"aten::_flash_attention_backward", AtenFlashBackward},
    CostModel{"aten::_efficient_attention_forward", AtenEfficient},
    CostModel{"aten::_efficient_attention_backward", AtenEfficientBackward},
    CostModel{"flash_attn::_flash_attn_forward", FlashAttn},
    CostModel{"flash_attn::_flash_attn_backward", FlashAttnBackward},
    CostModel{"flash_attn::_flash_attn_varlen_forward", FlashAttnPacked},
    CostModel{"flash_attn::_flash_attn_varlen_backward", FlashAttnPackedBackward},
    CostModel{"FlashAttnFunc", FlashAttnFunction},
    CostModel{"FlashAttnVarlenFunc", FlashAttnPackedFunction},
};

}  // namespace

std::span<const CostModel> AttentionModels() { return kAttentionModels; }

}  // namespace rankscope
