#include "insight/evidence/kernels/attention_parts.h"

#include "base/text.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/device_streams.h"

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

}  // namespace

AttentionParts::AttentionParts(const RuleInput& input) : between(input) {
  for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes)
    SelectBetween(input.graph(), stream, between);
  is_told = between.sums().LostPerStep() >= kLowGain * input.step_ns();
}

}  // namespace rankscope
