// unfused-attention: attention as separate products, masks and softmax.
#include <fmt/core.h>

#include <array>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/device_streams.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Scaling, mask, softmax, dropout, casts.
constexpr std::size_t kMostBetween = 12;

bool IsBatchedProduct(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.kernel_class == KernelClass::kGemm &&
         (Contains(kind.op, "bmm") || Contains(kind.op, "matmul") || Contains(kind.op, "Bmm"));
}

bool IsSoftmax(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (Contains(kind.op, "softmax") || Contains(kind.name, "softmax") ||
          Contains(kind.name, "SoftMax"));
}

// What lies between two batched products of a stream, when a softmax is among it.
void SelectBetween(const JobGraph& graph, const std::vector<NodeId>& stream, Selection& selection) {
  std::size_t product = SIZE_MAX;  // the last one
  bool has_softmax = false;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const NodeKind& kind = graph.KindOf(stream[i]);
    if (!IsBatchedProduct(kind)) {
      has_softmax = has_softmax || IsSoftmax(kind);
      continue;
    }
    if (product != SIZE_MAX && has_softmax && i - product - 1 <= kMostBetween) {
      for (std::size_t k = product + 1; k < i; ++k) {
        if (graph.KindOf(stream[k]).work == Work::kCompute) selection.Add(stream[k]);
      }
    }
    product = i;
    has_softmax = false;
  }
}

std::optional<Cause> Find(const RuleInput& input) {
  Selection between(input);
  for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes)
    SelectBetween(input.graph(), stream, between);
  if (between.sums().empty()) return std::nullopt;
  Cause cause;
  between.sums().TellIn(cause);
  cause.without = between.Without();
  cause.what = fmt::format(
      "attention is computed by separate products, masks and softmax: {} a step between the "
      "products{}",
      TimeText(static_cast<double>(*cause.lost_ns)), between.LaunchingText(*cause.without));
  return cause;
}

constexpr std::array<Advice, 4> kAdvice = {{
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
      .find = Find,
      .why =
          "a batched product, a softmax and another batched product in a row on a stream; replayed "
          "without what lies between, which a fused kernel keeps on the chip",
      .recommendation =
          "torch.nn.functional.scaled_dot_product_attention, or FlashAttention; "
          "attn_implementation='sdpa' or 'flash_attention_2' (Transformers).",
      .command = "rankscope table kernel_sequences TRACES",
      .advice = kAdvice,
  };
  return kRule;
}

}  // namespace rankscope
