// slow-attention: fused attention far below what the device could do.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/kernels/products.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Fused kernels reach a third to three quarters of it with long sequences, a tenth with short ones.
constexpr double kSlowAttention = 0.1;
constexpr double kUsualAttention = 0.2;
// Shorter ones are decided by what a launch takes.
constexpr double kLeastAttentionRoofNs = 10e3;

struct Attention {
  NodeId node = kNoNode;
  double ns = 0, roof_ns = 0;
  double Efficiency() const { return roof_ns / ns; }
};

// Of all steps, on matrix cores; fp32 is told by no-tensor-cores, and a kernel in fp64 or one that
// shared its device has other reasons.
std::vector<Attention> AttentionsOf(const RuleInput& input) {
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const auto& preempted = input.Shared<Preempted>();
  std::vector<Attention> all;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const DevicePeaks* const of = peaks[input.RankOf(node)];
    if (kind.work != Work::kCompute || kind.kernel_class != KernelClass::kAttention ||
        of == nullptr || kind.flops <= 0 || kind.dtype == "float" || kind.dtype == "double" ||
        IsAttentionInFp32(kind) || preempted.Has(node))
      return;
    const double roof = RoofNs(kind, *of, of->matrix_16.value);
    const auto ns = static_cast<double>(input.graph().nodes().DurationOf(node));
    if (roof >= kLeastAttentionRoofNs && ns > 0) all.push_back({node, ns, roof});
  });
  return all;
}

// What the best tenth reaches, by time; 0 without any.
double BestOf(const RuleInput& input, std::vector<Attention> all) {
  std::erase_if(all, [&](const Attention& one) { return !input.Counts(one.node); });
  std::ranges::sort(all, std::greater(), &Attention::Efficiency);
  double whole = 0, sum = 0;
  for (const Attention& one : all) whole += one.ns;
  for (const Attention& one : all) {
    sum += one.ns;
    if (sum >= 0.1 * whole) return one.Efficiency();
  }
  return 0;
}

// What a head has of each of query and key; 0: not known.
std::int64_t HeadSizeOf(const NodeKind& kind) {
  for (const std::vector<std::int64_t>& list : SizesOf(kind.shapes)) {
    if (list.size() >= 3) return list.back();
  }
  return 0;
}

std::string AdviceForKernel(const NodeKind& worst) {
  const std::int64_t head = HeadSizeOf(worst);
  std::string advice;
  if (head > 0 && head % 32 != 0)
    advice = fmt::format("Heads of {} are padded inside: {} costs no more. ", head,
                         (head / 32 + 1) * 32);
  if (Contains(worst.name, "fmha_cutlass") || Contains(worst.op, "efficient_attention"))
    return advice +
           "This is the memory-efficient kernel: is_causal=True in place of a mask tensor, heads "
           "of up to 256 and fp16 or bf16 let scaled_dot_product_attention take FlashAttention "
           "(sdpa_kernel(SDPBackend.FLASH_ATTENTION) says why it does not).";
  return advice +
         "Another kernel for these shapes: FlashAttention 3 or cuDNN's on Hopper "
         "(SDPBackend.CUDNN_ATTENTION), flex_attention with max-autotune; few long sequences need "
         "one that splits keys over blocks; sequences of uneven length are packed (varlen), not "
         "padded.";
}

std::optional<Cause> FindSlowAttention(const RuleInput& input) {
  const std::vector<Attention> all = AttentionsOf(input);
  const double best = BestOf(input, all);
  const double target = std::clamp(best, kUsualAttention, kMostOfRoof);
  Scenario without = input.recorded();
  NodeSums sums(input);
  double ns = 0, roof_ns = 0;
  const Attention* worst = nullptr;
  for (const Attention& one : all) {
    if (one.Efficiency() >= kSlowAttention) continue;
    const double then = one.roof_ns / target;
    without.SetDuration(one.node, static_cast<std::int64_t>(then));
    sums.Add(one.node, one.ns - then);
    if (!input.Counts(one.node)) continue;
    ns += one.ns;
    roof_ns += one.roof_ns;
    if (worst == nullptr || one.ns - one.roof_ns > worst->ns - worst->roof_ns) worst = &one;
  }
  if (worst == nullptr) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.6;
  // That others of this job are faster shows that these could be.
  cause.is_unproven = best < 2 * kSlowAttention;
  const NodeKind& kind = input.graph().KindOf(worst->node);
  cause.what =
      fmt::format("fused attention takes {} a step and reaches {} of what the device could",
                  TimeText(sums.PerStep(ns)), PercentText(roof_ns / ns));
  cause.recommendation = AdviceForKernel(kind);
  return cause;
}

}  // namespace

const Rule& SlowAttentionRule() {
  static const Rule kRule{
      .id = "slow-attention",
      .summary = "fused attention far below what the device can do",
      .tier = Tier::kNature,
      .takes = Takes::kKernels,
      .needs = RuleNeeds::kShapes,
      .find = FindSlowAttention,
      .why =
          "FLOPs and bytes of attention by its shapes against the device's peaks, less than 10%; "
          "replayed at what the best tenth of this job's attention reaches, at least 20%",
      .command = "rankscope table roofline TRACES",
  };
  return kRule;
}

}  // namespace rankscope
