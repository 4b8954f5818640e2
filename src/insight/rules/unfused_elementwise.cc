// unfused-elementwise: chains of small kernels that one kernel could do.
//
// A chain is elementwise work of one phase that follows each other on a stream. Each kernel of it
// reads and writes all of memory that it works on; one kernel that does all reads and writes once,
// which takes about as long as the longest of them. Where such work is no large share of computing,
// only chains count that are surely one: several kernels over as many values each.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/attention_parts.h"
#include "insight/evidence/awkward_size.h"
#include "insight/evidence/device_streams.h"
#include "insight/evidence/kinds_that.h"
#include "insight/evidence/layout_kernels.h"
#include "insight/evidence/loose_updates.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// What a library does around its own convolutions no compiler fuses (layout-conversion).
bool IsFusible(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase != Phase::kOptimizer && !ChangesLayout(kind) &&
         !PadsChannels(kind) &&
         (kind.kernel_class == KernelClass::kElementwise ||
          kind.kernel_class == KernelClass::kDataMovement);
}

// Values of the largest input, or the threads that were launched: what a kernel works on. 0:
// nothing tells.
double SizeOf(const NodeKind& kind) {
  double most = 0;
  for (const std::vector<std::int64_t>& sizes :
       SizesOf(kind.shapes.empty() ? kind.launch_shape : kind.shapes)) {
    double values = 1;
    for (const std::int64_t size : sizes) values *= static_cast<double>(size);
    // "[8,2,1] x [256,1,1]": blocks times threads.
    most = kind.shapes.empty() ? std::max(most, 1.0) * values : std::max(most, values);
  }
  return most;
}

// All of their chains but the longest kernel of each; and the number of those that count.
class Chains {
 public:
  Chains(const RuleInput& input, const KindsThat& are_fusible)
      : input_(input),
        are_fusible_(are_fusible),
        attention_(input.Shared<AttentionParts>()),
        updates_(input.Shared<LooseUpdates>()),
        removed_(input) {}
  // Only chains of at least so many kernels whose sizes differ by less than twice.
  Chains(const RuleInput& input, const KindsThat& are_fusible, std::size_t least)
      : Chains(input, are_fusible) {
    least_ = least;
    for (const NodeKind& kind : input.graph().kinds()) sizes_.push_back(SizeOf(kind));
  }

  void Walk(const std::vector<NodeId>& stream) {
    const JobGraph& graph = input_.graph();
    for (const NodeId node : stream) {
      const NodeKind& kind = graph.KindOf(node);
      const bool is_one = are_fusible_.Has(node) && graph.StepOf(node) != kNoStep &&
                          !attention_.Claims(node) && !updates_.Claims(node);
      const bool continues =
          is_one && (chain_.empty() || (graph.KindOf(chain_.back()).phase == kind.phase &&
                                        graph.StepOf(chain_.back()) == graph.StepOf(node) &&
                                        AreAlike(chain_.front(), node)));
      if (!continues) Close();
      if (is_one) chain_.push_back(node);
    }
    Close();
  }

  const Selection& removed() const { return removed_; }
  std::size_t count() const { return count_; }

 private:
  void Close() {
    const auto& nodes = input_.graph().nodes();
    if (chain_.size() >= least_) {
      const NodeId longest = *std::max_element(
          chain_.begin(), chain_.end(),
          [&](NodeId a, NodeId b) { return nodes[a].duration_ns < nodes[b].duration_ns; });
      for (const NodeId node : chain_) {
        if (node != longest) removed_.Add(node);
      }
      count_ += input_.Counts(longest) ? 1 : 0;
    }
    chain_.clear();
  }

  bool AreAlike(NodeId a, NodeId b) const {
    if (sizes_.empty()) return true;
    const auto& nodes = input_.graph().nodes();
    const auto [less, more] = std::minmax(sizes_[nodes.KindOf(a)], sizes_[nodes.KindOf(b)]);
    return less > 0 && more <= 2 * less;
  }

  const RuleInput& input_;
  const KindsThat& are_fusible_;
  const AttentionParts& attention_;
  const LooseUpdates& updates_;
  std::size_t least_ = 2;
  std::vector<double> sizes_;  // by kind; empty: sizes do not matter
  Selection removed_;
  std::vector<NodeId> chain_;
  std::size_t count_ = 0;
};

std::optional<Cause> FindUnfusedElementwise(const RuleInput& input) {
  std::int64_t fusible = 0, all = 0;
  const auto& attention = input.Shared<AttentionParts>();
  const auto& updates = input.Shared<LooseUpdates>();
  const KindsThat are_fusible(input.graph(), IsFusible);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute) return;
    all += input.graph().nodes()[node].duration_ns;
    if (are_fusible.Has(node) && !attention.Claims(node) && !updates.Claims(node))
      fusible += input.graph().nodes()[node].duration_ns;
  });
  const bool is_much = static_cast<double>(fusible) >= kMuchElementwise * static_cast<double>(all);
  Chains chains = is_much ? Chains(input, are_fusible) : Chains(input, are_fusible, kLongChain);
  for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes) chains.Walk(stream);
  const NodeSums& sums = chains.removed().sums();
  // Of a device that hardly computes no share of computing matters.
  const double least = is_much ? kLowGain : kMuchInChains;
  if (sums.empty() || sums.LostPerStep() < least * input.step_ns()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = chains.removed().Without();
  cause.what = fmt::format(
      "{} of the device's computing is elementwise kernels and data movement, {:.0f} chains a step "
      "{}that one kernel each could do{}",
      PercentText(static_cast<double>(fusible) / static_cast<double>(all)),
      sums.PerStep(static_cast<double>(chains.count())),
      is_much ? "" : fmt::format("of {} kernels and more over as many values each ", kLongChain),
      chains.removed().LaunchingText(*cause.without));
  return cause;
}

constexpr std::array<Advice, 4> kUnfusedElementwiseAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "jax.jit around the whole step, so that XLA fuses across the calls; no values that leave "
     "the jitted function in between."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "tf.function(jit_compile=True) around the step, so that XLA fuses them."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kVllm; },
     "Run compiled (no --enforce-eager), with custom ops on: --compilation-config "
     "'{\"custom_ops\": [\"all\"]}'."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kSglang; },
     "--enable-torch-compile, or a backend with fused norms and activations (sgl_kernel)."},
}};

}  // namespace

const Rule& UnfusedElementwiseRule() {
  static const Rule kRule{
      .id = "unfused-elementwise",
      .summary = "chains of small kernels that one kernel could do",
      .tier = Tier::kNature,
      .find = FindUnfusedElementwise,
      .why =
          "elementwise kernels that follow each other on a stream; replayed with one kernel in "
          "place of each chain, as long as the longest of it",
      .recommendation =
          "torch.compile the model, or use fused norms, activations, rotary embeddings and losses "
          "(Liger, Apex, Transformer Engine).",
      .command = "rankscope table kernel_classes TRACES",
      .advice = kUnfusedElementwiseAdvice,
  };
  return kRule;
}

}  // namespace rankscope
