// low-roofline: matrix products far below what the device can do.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/products.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> Find(const RuleInput& input) {
  const auto& products = input.Shared<Products>();
  if (products.best <= 0) return std::nullopt;
  std::vector<std::pair<NodeId, double>> targets;
  double slow_ns = 0, slow_roof_ns = 0;
  for (const Product& product : products.all) {
    const auto ns = static_cast<double>(input.graph().nodes()[product.node].duration_ns);
    // What runs on vector units is told by no-tensor-cores.
    if (product.on_vector_units || product.roof_ns / ns >= kLowEfficiency ||
        product.roof_ns <= kLeastRoofNs)
      continue;
    const double target = product.roof_ns / std::max(products.best, kUsualEfficiency);
    if (target < ns) targets.emplace_back(product.node, target);
    slow_ns += ns;
    slow_roof_ns += product.roof_ns;
  }
  std::optional<Cause> cause = CauseOfProducts(input, targets);
  if (!cause) return std::nullopt;
  cause->what =
      fmt::format("matrix products of {} of their time reach {} of what the device could",
                  PercentText(slow_ns / products.ns), PercentText(slow_roof_ns / slow_ns));
  return cause;
}

constexpr std::array<Advice, 2> kAdvice = {{
    {[](const Setting& of) { return of.IsAmd(); },
     "Choose dimensions that are multiples of 64 (vocabulary, hidden sizes), larger batches per "
     "product; tune the library's kernels for these shapes (PYTORCH_TUNABLEOP_ENABLED=1), or "
     "torch.compile(mode='max-autotune')."},
    {[](const Setting& of) { return of.IsJax(); },
     "Choose dimensions that are multiples of 128 (vocabulary, hidden sizes) and larger batches "
     "per product; --xla_gpu_autotune_level=4."},
}};

}  // namespace

const Rule& LowRooflineRule() {
  static const Rule kRule{
      .id = "low-roofline",
      .summary = "heavy kernels far below what the device can do",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kShapes,
      .find = Find,
      .why =
          "FLOPs and bytes of the ops' shapes against the device's peaks; replayed at what the "
          "best tenth of this job's products reaches, or half of the roof",
      .recommendation =
          "Choose dimensions that are multiples of 64 (vocabulary, hidden sizes), larger batches "
          "per product, torch.compile(mode='max-autotune') or another library's kernel for these "
          "shapes.",
      .command = "rankscope table roofline TRACES",
      .advice = kAdvice,
  };
  return kRule;
}

}  // namespace rankscope
