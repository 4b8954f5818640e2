// low-roofline: matrix products far below what the device can do.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/awkward_size.h"
#include "insight/evidence/products.h"
#include "insight/evidence/setting.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// The awkward size of most of the time of slow products, where that is half of it.
class AwkwardSizes {
 public:
  void Add(const NodeKind& kind, double ns) {
    const bool is_convolution = kind.kernel_class == KernelClass::kConvolution;
    if (const auto size = AwkwardSizeIn(kind.shapes, is_convolution)) ns_[{*size, kind.op}] += ns;
  }

  // "Pad 50257 (aten::mm) to 50304, a multiple of 64. "; "" where others are slow, too.
  std::string Text(double slow_ns) const {
    double sum = 0;
    const std::pair<const Sized, double>* most = nullptr;
    for (const auto& one : ns_) {
      sum += one.second;
      if (most == nullptr || one.second > most->second) most = &one;
    }
    if (2 * sum < slow_ns || most == nullptr) return "";
    const auto& [size, op] = most->first;
    return fmt::format("Pad {} ({}) to {}, a multiple of 64. ", size, op, PaddedSize(size));
  }

 private:
  using Sized = std::pair<std::int64_t, std::string>;  // size, op
  std::map<Sized, double> ns_;
};

std::string_view AdviceFor(const Setting& of) {
  if (of.IsAmd())
    return "Larger batches per product; tune the library's kernels for these shapes "
           "(PYTORCH_TUNABLEOP_ENABLED=1), or torch.compile(mode='max-autotune').";
  if (of.IsJax()) return "Larger batches per product; --xla_gpu_autotune_level=4.";
  return "Larger batches per product (merge thin ones), torch.compile(mode='max-autotune') or "
         "another library's kernel for these shapes.";
}

std::optional<Cause> Find(const RuleInput& input) {
  const auto& products = input.Shared<Products>();
  if (products.best <= 0) return std::nullopt;
  std::vector<std::pair<NodeId, double>> targets;
  double slow_ns = 0, slow_roof_ns = 0;
  AwkwardSizes awkward;
  for (const Product& product : products.all) {
    const auto ns = static_cast<double>(input.graph().nodes()[product.node].duration_ns);
    // What runs on vector units is told by no-tensor-cores.
    if (product.on_vector_units || product.roof_ns / ns >= kLowEfficiency ||
        product.roof_ns <= kLeastRoofNs)
      continue;
    const double target = product.roof_ns / std::max(products.best, kUsualEfficiency);
    if (target < ns) targets.emplace_back(product.node, target);
    awkward.Add(input.graph().KindOf(product.node), ns);
    slow_ns += ns;
    slow_roof_ns += product.roof_ns;
  }
  std::optional<Cause> cause = CauseOfProducts(input, targets);
  if (!cause) return std::nullopt;
  cause->what =
      fmt::format("matrix products of {} of their time reach {} of what the device could",
                  PercentText(slow_ns / products.ns), PercentText(slow_roof_ns / slow_ns));
  cause->recommendation = awkward.Text(slow_ns);
  cause->recommendation += AdviceFor(input.Shared<Setting>());
  return cause;
}

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
      .command = "rankscope table roofline TRACES",
  };
  return kRule;
}

}  // namespace rankscope
