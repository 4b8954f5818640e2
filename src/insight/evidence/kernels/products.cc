#include "insight/evidence/kernels/products.h"

#include <algorithm>

#include "analysis/op_models/modelled_ops.h"
#include "base/text.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/node_sums.h"

namespace rankscope {
namespace {

bool IsProduct(const NodeKind& kind) {
  return kind.work == Work::kCompute && (kind.kernel_class == KernelClass::kGemm ||
                                         kind.kernel_class == KernelClass::kConvolution);
}

// What names tell of a product.
struct ProductKind {
  explicit ProductKind(const NodeKind& kind)
      // Products in fp64 have another reason, and no roof in 16 bits.
      : is_one(IsProduct(kind) && !IsOfDoubles(kind)),
        is_attention(IsAttentionInFp32(kind)),
        is_plain(is_one && UnitsOfKernel(kind.name) == KernelUnits::kVectorUnits),
        is_of_vector(Contains(kind.name, "gemv")) {}

  bool is_one;
  bool is_attention;  // in fp32
  bool is_plain;
  bool is_of_vector;
};

// FLOP/s of the unit that a product is for: those in fp32 on matrix units are rounded to TF32 (AMD
// has such units for fp32); what runs on vector units could be in 16 bits.
double RateOf(const ProductKind& product, const NodeKind& kind, const DevicePeaks& peaks) {
  const bool is_of_16 =
      Contains(kind.name, "bf16") || Contains(kind.name, "fp16") || Contains(kind.name, "f16f16");
  const bool is_of_32 =
      !product.is_plain && kind.dtype == "float" && !is_of_16 && peaks.matrix_tf32.value > 0;
  return (is_of_32 ? peaks.matrix_tf32 : peaks.matrix_16).value;
}

double BestEfficiency(const RuleInput& input, const std::vector<Product>& products) {
  std::vector<std::pair<double, double>> by_efficiency;  // and time
  double whole = 0;
  for (const Product& product : products) {
    const auto ns = static_cast<double>(input.graph().nodes()[product.node].duration_ns);
    if (product.on_vector_units || ns <= 0) continue;
    by_efficiency.emplace_back(product.roof_ns / ns, ns);
    whole += ns;
  }
  std::sort(by_efficiency.rbegin(), by_efficiency.rend());
  double sum = 0;
  for (const auto& [efficiency, ns] : by_efficiency) {
    sum += ns;
    if (sum >= 0.1 * whole) return std::min(efficiency, kMostOfRoof);
  }
  return 0;
}

}  // namespace

bool IsOfDoubles(const NodeKind& kind) {
  return kind.dtype == "double" || Contains(kind.name, "f64f64") || Contains(kind.name, "dgemm");
}

bool IsAttentionInFp32(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.kernel_class == KernelClass::kAttention &&
         Contains(kind.name, "_f32_");
}

Products::Products(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const auto& preempted = input.Shared<Preempted>();
  const std::vector<ProductKind> kinds(graph.kinds().begin(), graph.kinds().end());
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const ProductKind& product = kinds[graph.nodes().KindOf(node)];
    if (!product.is_one && !product.is_attention) continue;
    const NodeKind& kind = graph.KindOf(node);
    const DevicePeaks* const of = peaks[input.RankOf(node)];
    if (graph.StepOf(node) == kNoStep || of == nullptr) continue;
    if (product.is_attention) {
      const double roof = kind.flops > 0 ? RoofNs(kind, *of, of->matrix_16.value) : 0;
      if (roof > 0) attention_in_fp32.push_back({node, roof, false});
    }
    if (!product.is_one || preempted.Has(node)) continue;
    const auto now = static_cast<double>(graph.nodes()[node].duration_ns);
    double roof = kind.flops > 0 ? RoofNs(kind, *of, RateOf(product, kind, *of)) : 0;
    // Without shapes: the FLOPs that it does at what plain products usually reach. One of a matrix
    // and a vector is bound by memory, and reaches none of that.
    if (roof <= 0 && product.is_plain && !product.is_of_vector && of->vector_32.value > 0 &&
        of->matrix_16.value > 0)
      roof = now * kUsualVectorEfficiency * of->vector_32.value / of->matrix_16.value;
    else if (roof <= 0)
      continue;
    all.push_back({node, roof, product.is_plain});
    ns += now;
    if (!product.is_plain) matrix_ns += now;
  }
  best = BestEfficiency(input, all);
}

std::optional<Cause> CauseOfProducts(const RuleInput& input,
                                     const std::vector<std::pair<NodeId, double>>& targets) {
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const auto& [node, target] : targets) {
    without.SetDuration(node, static_cast<std::int64_t>(target));
    sums.Add(node, static_cast<double>(input.graph().nodes()[node].duration_ns) - target);
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  return cause;
}

}  // namespace rankscope
