// low-roofline: matrix products far below what the device can do.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/communication/beside_communication.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/products.h"
#include "insight/evidence/setting/setting.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// The awkward size of most of the time of slow products, where that is half of it.
class AwkwardSizes {
 public:
  // Whether it has one.
  bool Add(const NodeKind& kind, double ns) {
    const bool is_convolution = kind.kernel_class == KernelClass::kConvolution;
    const auto size = AwkwardSizeIn(kind.shapes, is_convolution);
    if (size) ns_[{*size, kind.op}] += ns;
    return size.has_value();
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
    const std::int64_t padded = PaddedSize(size);
    return fmt::format("Pad {} ({}) to {}, a multiple of {}. ", size, op, padded,
                       padded % 64 == 0 ? 64 : 8);
  }

 private:
  using Sized = std::pair<std::int64_t, std::string>;  // size, op
  std::map<Sized, double> ns_;
};

// Values of the result of a product of matrices, by its shapes; -1: not known. Few of them are few
// tiles, which do not fill a device, however much goes into each.
double OutputOf(const NodeKind& kind) {
  const std::vector<std::int64_t>* left = nullptr;
  if (kind.kernel_class == KernelClass::kConvolution) return -1;
  const auto lists = SizesOf(kind.shapes);
  for (const std::vector<std::int64_t>& list : lists) {
    if (list.size() < 2) continue;
    if (left == nullptr) {
      left = &list;
      continue;
    }
    double values = static_cast<double>(list.back());
    for (std::size_t i = 0; i + 1 < left->size(); ++i) values *= static_cast<double>((*left)[i]);
    return values;
  }
  return -1;
}

// What products of this job show to be possible: that others of the same class, no larger in work
// (and not much smaller) nor in their result, and as much bound by computing, reach a fifth more of
// the roof.
class LikeProducts {
 public:
  explicit LikeProducts(const RuleInput& input) : input_(input) {
    for (const Product& product : input.Shared<Products>().all) {
      const auto ns = static_cast<double>(input.graph().nodes().DurationOf(product.node));
      if (product.on_vector_units || ns <= 0 || !input.Counts(product.node)) continue;
      Kind& kind = kinds_[input.graph().nodes().KindOf(product.node)];
      kind.roof_ns = product.roof_ns;
      if (kind.by_step.empty()) kind.output = OutputOf(input.graph().KindOf(product.node));
      kind.by_step[StepOf(product.roof_ns / ns)] += ns;
      all_ns_ += ns;
    }
  }

  bool AreFaster(const Product& product) {
    const auto ns = static_cast<double>(input_.graph().nodes().DurationOf(product.node));
    const std::pair key(input_.graph().nodes().KindOf(product.node), StepOf(product.roof_ns / ns));
    const auto [found, is_new] = are_faster_.try_emplace(key, false);
    if (is_new) found->second = Compare(key.first, key.second + kStepsFaster, product.roof_ns);
    return found->second;
  }

 private:
  // Efficiencies are counted in steps of a fiftieth: ten of them are 1.22 times as much.
  static constexpr int kStepsFaster = 10;
  static constexpr double kLarger = 1.25, kSmaller = 0.25;  // of its roof
  static constexpr double kAsBound = 2;                     // FLOPs for a byte, at most so apart
  static constexpr double kEnough = 0.02;                   // of the time of products

  struct Kind {
    double roof_ns = 0;
    double output = -1;
    std::map<int, double> by_step;  // time by efficiency
  };

  static int StepOf(double efficiency) {
    return static_cast<int>(std::lround(std::log(std::max(1e-9, efficiency)) / std::log(1.02)));
  }

  bool Compare(std::uint32_t number, int step, double roof_ns) const {
    const NodeKind& kind = input_.graph().kinds()[number];
    const double output = OutputOf(kind);
    double faster_ns = 0;
    for (const auto& [other, of] : kinds_) {
      const NodeKind& like = input_.graph().kinds()[other];
      const double apart = like.flops * kind.bytes / std::max(1.0, kind.flops * like.bytes);
      const bool is_like = like.kernel_class == kind.kernel_class &&
                           of.roof_ns <= kLarger * roof_ns && of.roof_ns >= kSmaller * roof_ns &&
                           of.output <= kLarger * output && apart <= kAsBound &&
                           apart * kAsBound >= 1;
      if (!is_like && other != number) continue;
      for (auto at = of.by_step.lower_bound(step); at != of.by_step.end(); ++at)
        faster_ns += at->second;
    }
    return faster_ns >= kEnough * all_ns_;
  }

  const RuleInput& input_;
  std::map<std::uint32_t, Kind> kinds_;
  std::map<std::pair<std::uint32_t, int>, bool> are_faster_;  // by kind and efficiency
  double all_ns_ = 0;
};

std::string_view AdviceFor(const Setting& of) {
  if (of.IsAmd())
    return "Larger batches per product; tune the library's kernels for these shapes "
           "(PYTORCH_TUNABLEOP_ENABLED=1), or torch.compile(mode='max-autotune').";
  if (of.IsJax()) return "Larger batches per product; --xla_gpu_autotune_level=4.";
  return "Larger batches per product (merge thin ones), torch.compile(mode='max-autotune') or "
         "another library's kernel for these shapes.";
}

// What the product usually takes, where it takes longer: that it does is a matter of its rank or
// step (slow-gpu, slow-kernels, outlier-step), or of what runs beside it
// (communication-contention).
double UsualNs(const RuleInput& input, NodeId node) {
  std::int64_t ns = input.graph().nodes().DurationOf(node);
  for (const std::int64_t usual :
       {input.same_work().DurationOf(node), input.Shared<BesideCommunication>().AloneNs(node)}) {
    if (usual > 0) ns = std::min(ns, usual);
  }
  return static_cast<double>(ns);
}

std::optional<Cause> FindLowRoofline(const RuleInput& input) {
  const auto& products = input.Shared<Products>();
  if (products.best <= 0) return std::nullopt;
  std::vector<std::pair<NodeId, double>> targets;
  double slow_ns = 0, slow_roof_ns = 0;
  double claimed_ns = 0, shown_ns = 0;  // what they could take less, and what of it is shown
  AwkwardSizes awkward;
  LikeProducts like(input);
  for (const Product& product : products.all) {
    const auto ns = static_cast<double>(input.graph().nodes()[product.node].duration_ns);
    // What runs on vector units is told by no-tensor-cores.
    if (product.on_vector_units || product.roof_ns <= kLeastRoofNs ||
        product.roof_ns / UsualNs(input, product.node) >= kLowEfficiency)
      continue;
    const double target = product.roof_ns / std::max(products.best, kUsualEfficiency);
    if (target < ns) targets.emplace_back(product.node, target);
    const bool is_awkward = awkward.Add(input.graph().KindOf(product.node), ns);
    claimed_ns += std::max(0.0, ns - target);
    if (is_awkward || like.AreFaster(product)) shown_ns += std::max(0.0, ns - target);
    slow_ns += ns;
    slow_roof_ns += product.roof_ns;
  }
  std::optional<Cause> cause = CauseOfProducts(input, targets);
  if (!cause) return std::nullopt;
  cause->what =
      fmt::format("matrix products of {} of their time reach {} of what the device could",
                  PercentText(slow_ns / products.ns), PercentText(slow_roof_ns / slow_ns));
  cause->is_unproven = 2 * shown_ns < claimed_ns;
  if (cause->is_unproven)
    cause->why = fmt::format("{}; no product of this job shows that these can be faster",
                             LowRooflineRule().why);
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
      .find = FindLowRoofline,
      .why =
          "FLOPs and bytes of the ops' shapes against the device's peaks; replayed at what the "
          "best tenth of this job's products reaches, or half of the roof",
      .command = "rankscope table roofline TRACES",
  };
  return kRule;
}

}  // namespace rankscope
