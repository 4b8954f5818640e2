// low-bandwidth: kernels that do little more than read and write stay far below the device's
// bandwidth.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"
#include "op_cost/base/cost.h"

namespace rankscope {
namespace {

// What can keep up with the memory: norms, elementwise work, and rows that are added to others.
// What is left out reaches little of the bandwidth in programs without fault, too: rows that are
// picked from all over memory, pooling, sums, and losses, which plain PyTorch has in several
// kernels. Products have a rule of their own (low-roofline), and so have copies (redundant-copies).
enum class Family { kNormalisation, kElementwise, kScatter };

std::optional<Family> FamilyOf(const NodeKind& kind) {
  if (kind.cost_family == ToString(CostFamily::kNormalisation)) return Family::kNormalisation;
  if (kind.cost_family == ToString(CostFamily::kElementwise))
    return kind.kernel_class == KernelClass::kDataMovement ? std::nullopt
                                                           : std::optional(Family::kElementwise);
  if (kind.cost_family != ToString(CostFamily::kIndexing)) return std::nullopt;
  constexpr std::array<std::string_view, 4> kAdding = {"index_add", "scatter_add", "index_put",
                                                       "embedding_dense_backward"};
  const bool adds =
      std::ranges::any_of(kAdding, [&](std::string_view part) { return Contains(kind.op, part); });
  return adds ? std::optional(Family::kScatter) : std::nullopt;
}

std::string_view RemedyFor(Family family) {
  switch (family) {
    case Family::kNormalisation:
      return "Where it norms images, keep them and the model in channels last "
             "(x.to(memory_format=torch.channels_last), model.to(memory_format="
             "torch.channels_last)); else a fused norm (torch.compile, Apex, Liger).";
    case Family::kScatter:
      return "Do not let many rows meet at few targets: sort by target and reduce by segment, or "
             "multiply with a one-hot matrix where targets are few; sparse gradients for large "
             "embeddings (sparse=True).";
    case Family::kElementwise:
      break;
  }
  return "Give the kernel contiguous inputs (x.contiguous() once, not in each layer), compile it "
         "(torch.compile), or use another one for these shapes; ncu says what it waits for.";
}

// The time at the memory's bandwidth of what the op must read and write; 0 where computing takes
// longer at the peak of any unit, or that is not known.
double MemoryRoofNs(const NodeKind& kind, const DevicePeaks& peaks) {
  constexpr double kNsPerSecond = 1e9;
  const double flops = std::max(peaks.vector_32.value, peaks.matrix_16.value);
  const double memory_ns =
      peaks.memory.value > 0 ? kNsPerSecond * kind.bytes / peaks.memory.value : 0;
  return flops > 0 && kNsPerSecond * kind.flops / flops > memory_ns ? 0 : memory_ns;
}

// The op that loses most and its family, and what all of them take and would take at the roof.
class SlowKernels {
 public:
  void Add(const std::string& op, Family family, double ns, double roof_ns, double lost_ns) {
    lost_[{op, family}] += lost_ns;
    ns_ += ns;
    roof_ns_ += roof_ns;
  }
  const std::pair<std::string, Family>& worst() const {
    return std::max_element(lost_.begin(), lost_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
  std::size_t ops() const { return lost_.size(); }
  double reached() const { return roof_ns_ / ns_; }
  double ns() const { return ns_; }

 private:
  std::map<std::pair<std::string, Family>, double> lost_;  // by op
  double ns_ = 0;
  double roof_ns_ = 0;
};

std::optional<Cause> FindLowBandwidth(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  const auto& preempted = input.Shared<Preempted>();
  Scenario without = input.recorded();
  NodeSums sums(input);
  SlowKernels slow;
  std::vector<std::optional<Family>> family_of;
  for (const NodeKind& kind : graph.kinds()) family_of.push_back(FamilyOf(kind));
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::optional<Family> family = family_of[graph.nodes().KindOf(node)];
    if (!family) continue;
    const DevicePeaks* const of = peaks[input.RankOf(node)];
    if (of == nullptr || graph.StepOf(node) == kNoStep || preempted.Has(node)) continue;
    const NodeKind& kind = graph.KindOf(node);
    const double roof_ns = MemoryRoofNs(kind, *of);
    const auto ns = static_cast<double>(graph.nodes()[node].duration_ns);
    if (roof_ns < kLeastRoofNs || ns < kLeastSlowNs || roof_ns >= kLowBandwidth * ns) continue;
    const double target = roof_ns / kUsualBandwidth;
    without.SetDuration(node, static_cast<std::int64_t>(target));
    sums.Add(node, ns - target);
    if (input.Counts(node)) slow.Add(kind.op, *family, ns, roof_ns, ns - target);
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.6;
  cause.what = fmt::format(
      "kernels that do little more than read and write take {} a step and reach {} of the "
      "device's bandwidth, {}{}",
      TimeText(sums.PerStep(slow.ns())), PercentText(slow.reached()),
      slow.ops() > 1 ? "above all those of " : "all of ", slow.worst().first);
  cause.recommendation = RemedyFor(slow.worst().second);
  return cause;
}

}  // namespace

const Rule& LowBandwidthRule() {
  static const Rule kRule{
      .id = "low-bandwidth",
      .summary = "kernels that move memory far below its bandwidth",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kShapes,
      .find = FindLowBandwidth,
      .why =
          "bytes that the op must read and write, by its shapes, against the device's bandwidth: "
          "kernels of 50 us and more that reach less than 15% of it; replayed at 25%",
      .command = "rankscope table kernel_places TRACES",
  };
  return kRule;
}

}  // namespace rankscope
