#include "insight/evidence/kernels/loss_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/text.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/roof.h"

namespace rankscope {
namespace {

// Fewer classes are a classifier's, whose loss costs nothing.
constexpr std::int64_t kLeastClasses = 8192;

struct Extent {
  std::int64_t row = 0;  // the last size
  double values = 0;
};

Extent FirstExtentOf(const NodeKind& kind) {
  const std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
  if (inputs.empty() || inputs.front().size() < 2) return {};
  Extent extent{.row = inputs.front().back(), .values = 1};
  for (const std::int64_t size : inputs.front()) extent.values *= static_cast<double>(size);
  return extent;
}

// What aten::cross_entropy_loss and its gradient launch, by this op or those inside of it.
bool IsOfCrossEntropy(const NodeKind& kind) {
  constexpr std::array<std::string_view, 4> kOps = {"aten::cross_entropy", "aten::log_softmax",
                                                    "aten::_log_softmax", "aten::nll_loss"};
  return kind.work == Work::kCompute &&
         std::ranges::any_of(kOps, [&](std::string_view op) { return kind.op.starts_with(op); });
}

// "cunn_SoftMaxForward", "cunn_SoftMaxForwardSmem": once for all logits of a batch.
bool IsLogSoftmax(const NodeKind& kind) {
  return IsOfCrossEntropy(kind) && Contains(kind.name, "SoftMaxForward");
}

// What a plain cross entropy does not do over logits, and a cast inside of the loss, as autocast
// makes it.
bool IsMoreThanALoss(const NodeKind& kind) {
  constexpr std::array<std::string_view, 11> kOps = {
      "aten::tanh",  "aten::kl_div",    "aten::xlogy",       "aten::_softmax",
      "aten::pow",   "aten::logsumexp", "aten::special_",    "aten::softmax",
      "aten::where", "aten::sigmoid",   "aten::masked_fill",
  };
  const auto begins = [&](std::string_view op) { return kind.op.starts_with(op); };
  return std::ranges::any_of(kOps, begins) ||
         (!IsOfCrossEntropy(kind) && (kind.outer_op.starts_with("aten::cross_entropy") ||
                                      kind.outer_op.starts_with("aten::log_softmax")));
}

// What a value of logits costs a cross entropy in 16 bits: read and written by the softmax, its
// gradient written by the loss; both read, and a gradient written, by the softmax's backward.
constexpr double kBytesOfValue = 2 + 2 + 2 + 2 + 2 + 2;
constexpr double kUsualOfMemory = 0.7;  // of its bandwidth, which such kernels reach

// By kind: whether it goes over logits, and beside the loss's own kernels.
class KindsOverLogits {
 public:
  explicit KindsOverLogits(const JobGraph& graph) {
    std::map<std::int64_t, double> logits;  // values by vocabulary
    for (const NodeKind& kind : graph.kinds()) {
      const Extent of = IsLogSoftmax(kind) ? FirstExtentOf(kind) : Extent{};
      if (of.row >= kLeastClasses) logits[of.row] = std::max(logits[of.row], of.values);
    }
    for (const NodeKind& kind : graph.kinds()) {
      const bool may_be = !logits.empty() && kind.work == Work::kCompute &&
                          kind.kernel_class != KernelClass::kGemm &&
                          kind.phase != Phase::kOptimizer;
      const Extent of = may_be ? FirstExtentOf(kind) : Extent{};
      const auto found = logits.find(of.row);
      // Logits without those of each sequence's last token are nearly as many.
      const bool is_one = found != logits.end() && 2 * of.values >= found->second;
      values_.push_back(is_one ? of.values : 0);
      row_.push_back(of.row);
      is_own_.push_back(is_one && IsOfCrossEntropy(kind));
      is_softmax_.push_back(is_one && IsLogSoftmax(kind));
    }
  }

  bool Has(std::size_t kind) const { return values_[kind] > 0; }
  bool IsOwn(std::size_t kind) const { return is_own_[kind]; }
  bool IsSoftmax(std::size_t kind) const { return is_softmax_[kind]; }
  double ValuesOf(std::size_t kind) const { return values_[kind]; }
  std::string TextOf(std::size_t kind) const {
    return fmt::format("[{:.0f}, {}]", values_[kind] / static_cast<double>(row_[kind]), row_[kind]);
  }

 private:
  std::vector<double> values_;
  std::vector<std::int64_t> row_;
  std::vector<bool> is_own_, is_softmax_;
};

}  // namespace

LossParts::LossParts(const RuleInput& input) : over_logits_(input), left_(input.ranks(), 1.0) {
  const JobGraph& graph = input.graph();
  const KindsOverLogits kinds(graph);
  struct OfRank {
    double ns = 0, others_ns = 0, values = 0;
    bool has_backward = false;
  };
  std::vector<OfRank> ranks(input.ranks());
  double most = 0;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::size_t kind = graph.nodes().KindOf(node);
    if (!kinds.Has(kind) || graph.StepOf(node) == kNoStep) continue;
    over_logits_.Add(node);
    OfRank& of = ranks[input.RankOf(node)];
    const auto ns = static_cast<double>(graph.nodes().DurationOf(node));
    of.ns += ns;
    of.others_ns += kinds.IsOwn(kind) ? 0 : ns;
    of.has_backward = of.has_backward || graph.KindOf(node).phase == Phase::kBackward;
    if (!kinds.IsSoftmax(kind)) continue;
    of.values += kinds.ValuesOf(kind);
    if (kinds.ValuesOf(kind) <= most) continue;
    most = kinds.ValuesOf(kind);
    logits_ = kinds.TextOf(kind);
  }
  constexpr double kNsPerSecond = 1e9;
  constexpr double kMuchBeside = 0.25;  // of what goes over logits is none of the loss's kernels
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  double lost = 0, ns = 0;
  for (const NodeId node : over_logits_.sums().nodes()) {
    const NodeKind& kind = graph.KindOf(node);
    does_more_ = does_more_ || IsMoreThanALoss(kind);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const OfRank& of = ranks[rank];
    if (peaks[rank] == nullptr || peaks[rank]->memory.value <= 0 || !of.has_backward ||
        of.others_ns < kMuchBeside * of.ns)
      continue;
    const double usual =
        kNsPerSecond * kBytesOfValue * of.values / (kUsualOfMemory * peaks[rank]->memory.value);
    left_[rank] = std::min(1.0, usual / of.ns);
    lost += (1 - left_[rank]) * of.ns;
    ns += of.ns;
  }
  is_told_ = ns > 0 && over_logits_.sums().LostPerStep() * lost / ns >= kLowGain * input.step_ns();
}

}  // namespace rankscope
