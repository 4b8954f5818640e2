// slow-attention: fused attention far below what the device could do.
//
// By its FLOPs, where shapes and mask give them; or by its kernel: the memory-efficient one of
// PyTorch and xFormers is of a generation before FlashAttention 2, whatever it computes.
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
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/setting/device_models.h"
#include "insight/evidence/setting/setting.h"
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

// Of a few queries over many keys (generation) all kernels read the same keys and values, and none
// is faster than memory. Query is [batch, heads, length, size] or has heads and length the other
// way.
bool HasManyQueries(const NodeKind& kind) {
  constexpr std::int64_t kMany = 256;
  const std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
  return !inputs.empty() && inputs[0].size() == 4 && std::min(inputs[0][1], inputs[0][2]) > 1 &&
         std::max(inputs[0][1], inputs[0][2]) >= kMany;
}

// "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(...)",
// "fmha_cutlassB_f16_aligned_128x64_k64_sm80(...)". Shorter ones have short sequences, for which
// kernels differ less.
bool IsMemoryEfficient(const NodeKind& kind) {
  constexpr std::int64_t kMostOfFlash = 256;  // sizes of a head
  if (!HasManyQueries(kind)) return false;
  return kind.work == Work::kCompute && kind.kernel_class == KernelClass::kAttention &&
         Contains(kind.name, "fmha_cutlass") && Contains(kind.name, "16_") &&
         HeadSizeOf(kind) > 0 && HeadSizeOf(kind) <= kMostOfFlash;
}

// A bias or mask as a tensor, which FlashAttention does not take: behind query, key and value;
// backward has the gradient before them.
bool HasMask(const NodeKind& kind) {
  const std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
  const std::size_t at = Contains(kind.op, "backward") ? 4 : 3;
  return Contains(kind.op, "efficient_attention") && inputs.size() > at && inputs[at].size() > 1;
}

// How many times as long it takes as FlashAttention 2 at least, which reaches twice its speed on an
// H100, and nearly so on an A100; FlashAttention 3 and cuDNN reach three times as much on Hopper.
// 0: the device has none that is faster, or is unknown.
double TimesOfFlash(std::string_view model) {
  constexpr double kOnHopper = 2, kOnAmpere = 1.5;
  constexpr double kHopperFlops = 700e12;  // an H20 has less to run faster kernels with
  const DevicePeaks* const peaks = FindPeaks(model);
  if (peaks == nullptr || !KindOfDevice(model).has_bf16) return 0;
  return peaks->matrix_16.value >= kHopperFlops ? kOnHopper : kOnAmpere;
}

std::optional<Cause> FindMemoryEfficientAttention(const RuleInput& input) {
  std::vector<double> times;  // by rank
  for (const std::string_view model : DeviceModels(input)) times.push_back(TimesOfFlash(model));
  const auto& preempted = input.Shared<Preempted>();
  const KindsThat are_ones(input.graph(), IsMemoryEfficient);
  Scenario without = input.recorded();
  NodeSums sums(input);
  double ns = 0;
  bool has_mask = false;
  std::string_view model;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const auto now = static_cast<double>(input.graph().nodes().DurationOf(node));
    const double of = times[input.RankOf(node)];
    if (!are_ones.Has(node) || of <= 0 || now < kLeastSlowNs || preempted.Has(node)) return;
    without.SetDuration(node, static_cast<std::int64_t>(now / of));
    sums.Add(node, now - now / of);
    ns += input.Counts(node) ? now : 0;
    has_mask = has_mask || HasMask(kind);
    if (model.empty()) model = DeviceModels(input)[input.RankOf(node)];
  });
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.6;
  cause.is_unproven = has_mask;
  cause.what = fmt::format(
      "attention runs as PyTorch's memory-efficient kernel (fmha_cutlass), {} a step; "
      "FlashAttention is faster on {}",
      TimeText(sums.PerStep(ns)), model);
  cause.why =
      "the names of its kernels; replayed in half of their time on Hopper and Blackwell, in two "
      "thirds on Ampere and Ada: what FlashAttention 2 takes at most, while cuDNN's kernels and "
      "FlashAttention 3 take less";
  cause.recommendation =
      has_mask ? "A mask or bias as a tensor forbids FlashAttention: is_causal=True where that is "
                 "what it says, packed sequences (varlen) in place of a mask of padding, "
                 "flex_attention for anything else."
               : "torch.nn.attention.sdpa_kernel([SDPBackend.CUDNN_ATTENTION, "
                 "SDPBackend.FLASH_ATTENTION]) around the model: the warning says what forbids "
                 "them (a mask as a tensor, a build without FlashAttention, strides of the head "
                 "that are not 1). cuDNN's is for Hopper and Blackwell.";
  cause.command = "rankscope top kernels TRACES";
  return cause;
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
  if (worst == nullptr) return FindMemoryEfficientAttention(input);
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
