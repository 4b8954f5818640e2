// unfused-attention: attention as separate products, masks and softmax.
#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/attention_parts.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindUnfusedAttention(const RuleInput& input) {
  const Selection& between = input.Shared<AttentionParts>().between;
  if (between.sums().empty()) return std::nullopt;
  Cause cause;
  between.sums().TellIn(cause);
  cause.without = between.Without();
  cause.what = fmt::format(
      "attention is computed by separate products, masks and softmax: {} a step between the "
      "products{}",
      TimeText(static_cast<double>(*cause.lost_ns)), between.LaunchingText(*cause.without));
  cause.told_when_hidden = true;
  return cause;
}

constexpr std::array<Advice, 4> kUnfusedAttentionAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "jax.nn.dot_product_attention(query, key, value, implementation='cudnn')."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "tf.keras.layers.MultiHeadAttention with flash_attention=True (Keras 3), or "
     "jit_compile=True so that XLA fuses it."},
    {[](const Setting& of) { return !of.has_bf16; },
     "torch.nn.functional.scaled_dot_product_attention in fp16, whose memory-efficient kernel "
     "runs on this device; FlashAttention 2 needs Ampere or later."},
    {[](const Setting& of) { return of.IsAmd(); },
     "torch.nn.functional.scaled_dot_product_attention (AOTriton's kernels), or flash-attn built "
     "for ROCm; attn_implementation='sdpa' or 'flash_attention_2' (Transformers)."},
}};

}  // namespace

const Rule& UnfusedAttentionRule() {
  static const Rule kRule{
      .id = "unfused-attention",
      .summary = "attention as separate matmuls, masks and softmax",
      .find = FindUnfusedAttention,
      .why =
          "a batched product, a softmax and another batched product in a row on a stream; replayed "
          "without what lies between, which a fused kernel keeps on the chip",
      .recommendation =
          "torch.nn.functional.scaled_dot_product_attention, or FlashAttention; "
          "attn_implementation='sdpa' or 'flash_attention_2' (Transformers).",
      .command = "rankscope table kernel_sequences TRACES",
      .shown_in = {"modules", "kernels_by_name"},
      .advice = kUnfusedAttentionAdvice,
  };
  return kRule;
}

}  // namespace rankscope
