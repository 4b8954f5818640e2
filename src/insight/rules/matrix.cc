// no-tensor-cores and low-roofline: matrix products that take longer than they need.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/roofline/modelled_ops.h"
#include "insight/cause_tools.h"
#include "insight/roof.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

bool IsProduct(const NodeKind& kind) {
  return kind.work == Work::kCompute && (kind.kernel_class == KernelClass::kGemm ||
                                         kind.kernel_class == KernelClass::kConvolution);
}

struct Product {
  NodeId node;
  double roof_ns;
  bool on_vector_units;
};

// The efficiency that the best tenth of the products reaches, by time; at most kMostOfRoof.
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

void Tell(const RuleInput& input, Cause cause,
          const std::vector<std::pair<NodeId, double>>& targets, std::vector<Cause>& causes) {
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  double lost = 0;
  for (const auto& [node, target] : targets) {
    without.SetDuration(node, static_cast<std::int64_t>(target));
    if (!input.Counts(node)) continue;
    ranks.insert(input.RankOf(node));
    nodes.push_back(node);
    lost += static_cast<double>(input.graph().nodes()[node].duration_ns) - target;
  }
  if (nodes.empty()) return;
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.lost_ns =
      static_cast<std::int64_t>(lost / static_cast<double>(ranks.size() * input.counted().size()));
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.command = "rankscope table roofline TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  std::vector<Product> products;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (graph.StepOf(node) == kNoStep || !IsProduct(kind)) continue;
    const DevicePeaks* const of = peaks[input.RankOf(node)];
    if (of == nullptr) continue;
    const bool is_plain = UnitsOfKernel(kind.name) == KernelUnits::kVectorUnits;
    // At the roof of matrix cores in 16 bits.
    const double roof = kind.flops > 0 ? RoofNs(kind, *of, of->matrix_16.value) : 0;
    if (roof > 0) {
      products.push_back({node, roof, is_plain});
    } else if (is_plain && of->vector_32.value > 0 && of->matrix_16.value > 0) {
      // Without shapes: the FLOPs that it does at what plain products usually reach.
      products.push_back({node,
                          static_cast<double>(graph.nodes()[node].duration_ns) *
                              kUsualVectorEfficiency * of->vector_32.value / of->matrix_16.value,
                          is_plain});
    }
  }
  if (products.empty()) return;
  const double best = BestEfficiency(input, products);
  std::vector<std::pair<NodeId, double>> plain, slow;
  double plain_ns = 0, products_ns = 0, slow_ns = 0, slow_roof = 0;
  for (const Product& product : products) {
    const auto ns = static_cast<double>(graph.nodes()[product.node].duration_ns);
    products_ns += ns;
    if (product.on_vector_units) {
      const double target = product.roof_ns / (best > 0 ? best : kUsualEfficiency);
      if (target < ns) plain.emplace_back(product.node, target);
      plain_ns += ns;
    } else if (best > 0 && product.roof_ns / ns < kLowEfficiency &&
               product.roof_ns > kLeastRoofNs) {
      const double target = product.roof_ns / std::max(best, kUsualEfficiency);
      if (target < ns) slow.emplace_back(product.node, target);
      slow_ns += ns;
      slow_roof += product.roof_ns;
    }
  }
  if (!plain.empty()) {
    Cause cause;
    cause.id = "no-tensor-cores";
    cause.what =
        fmt::format("{} of the time of matrix products is in fp32 kernels that use no tensor cores",
                    PercentText(plain_ns / products_ns));
    cause.why =
        "kernels whose names say vector units (sgemm, simt) under ops whose shapes tensor "
        "cores take; replayed at the efficiency that this job's other products reach on them";
    cause.recommendation =
        "torch.autocast('cuda', dtype=torch.bfloat16), or "
        "torch.set_float32_matmul_precision('high') for TF32; pad dimensions to multiples of 8.";
    Tell(input, std::move(cause), plain, causes);
  }
  if (!slow.empty()) {
    Cause cause;
    cause.id = "low-roofline";
    cause.tier = Tier::kNature;
    cause.what =
        fmt::format("matrix products of {} of their time reach {} of what the device could",
                    PercentText(slow_ns / products_ns), PercentText(slow_roof / slow_ns));
    cause.why =
        "FLOPs and bytes of the ops' shapes against the device's peaks; replayed at what the "
        "best tenth of this job's products reaches, or half of the roof";
    cause.recommendation =
        "Choose dimensions that are multiples of 64 (vocabulary, hidden sizes), larger batches per "
        "product, torch.compile(mode='max-autotune') or another library's kernel for these shapes.";
    Tell(input, std::move(cause), slow, causes);
  }
}

}  // namespace

const Rule& MatrixRule() {
  static const Rule kRule{.ids = {"no-tensor-cores", "low-roofline"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
