// unfused-elementwise: chains of small kernels that one kernel could do.
//
// A chain is elementwise work of one phase that follows each other on a stream. Each kernel of it
// reads and writes all of memory that it works on; one kernel that does all reads and writes once,
// which takes about as long as the longest of them. Where such work is no large share of computing,
// only chains count that are surely one: several kernels over as many values each. A norm or a
// softmax that is written out reduces in between, and goes on with as many values: its reduction,
// and what it does with the few values that come of it, are of the chain. Where even these are
// little of a step, only chains count that come again and again, in each layer: one change of a
// module removes all of them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/attention_parts.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/device_streams.h"
#include "insight/evidence/kernels/layout_kernels.h"
#include "insight/evidence/kernels/loose_updates.h"
#include "insight/evidence/kernels/loss_parts.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/selection.h"
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

// Of the forward pass: what backward sums is gradients of weights and biases, which are done with.
bool IsReduction(const NodeKind& kind) {
  constexpr std::array<std::string_view, 8> kOps = {
      "aten::mean", "aten::sum",  "aten::var",  "aten::std",
      "aten::max",  "aten::amax", "aten::norm", "aten::linalg_vector_norm"};
  return kind.work == Work::kCompute && kind.phase == Phase::kForward &&
         kind.kernel_class == KernelClass::kReduction &&
         std::ranges::find(kOps, kind.op) != kOps.end();
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

// Chains, without the longest kernel of each.
struct FusedChains {
  Selection removed;
  std::size_t count = 0;  // of those in steps that count
};

class Chains {
 public:
  // Chains of at least `least` kernels. With `are_alike`, their sizes differ by less than twice.
  Chains(const RuleInput& input, const KindsThat& are_fusible, std::size_t least, bool are_alike)
      : input_(input),
        are_fusible_(are_fusible),
        reduce_(input.graph(), IsReduction),
        attention_(input.Shared<AttentionParts>()),
        loss_(input.Shared<LossParts>()),
        updates_(input.Shared<LooseUpdates>()),
        least_(least),
        are_alike_(are_alike) {
    for (const NodeKind& kind : input.graph().kinds()) sizes_.push_back(SizeOf(kind));
  }

  void Walk(const std::vector<NodeId>& stream) {
    for (const NodeId node : stream) {
      if (!IsOne(node)) {
        Close();
        continue;
      }
      if (!chain_.empty() && !Continues(node)) Close();
      if (chain_.empty() && reduce_.Has(node)) continue;
      chain_.push_back(node);
      has_reduction_ = has_reduction_ || reduce_.Has(node);
      if (!reduce_.Has(node) && IsWhole(node)) whole_ = chain_.size();
    }
    Close();
  }

  FusedChains All() const {
    return Fused([](const Chain&) { return true; });
  }

  // Those whose ops come one behind the other so often in each step of a rank, on average.
  FusedChains OfLayers(double least_per_step) const {
    std::map<std::size_t, NodeSums> alike;  // by ops
    for (const Chain& chain : chains_)
      alike.try_emplace(chain.ops, input_).first->second.Add(nodes_[chain.first], 0);
    return Fused(
        [&](const Chain& chain) { return alike.at(chain.ops).CountPerStep() >= least_per_step; });
  }

 private:
  struct Chain {
    std::size_t first = 0, size = 0;  // in nodes_
    std::size_t ops = 0;              // hash of their names, in order
  };

  std::span<const NodeId> NodesOf(const Chain& chain) const {
    return std::span(nodes_).subspan(chain.first, chain.size);
  }

  template <typename Predicate>
  FusedChains Fused(const Predicate& counts) const {
    FusedChains fused{.removed = Selection(input_)};
    for (const Chain& chain : chains_) {
      if (!counts(chain)) continue;
      const std::span<const NodeId> nodes = NodesOf(chain);
      const NodeId longest = *std::ranges::max_element(
          nodes, {}, [&](NodeId node) { return input_.graph().nodes()[node].duration_ns; });
      for (const NodeId node : nodes) {
        if (node != longest) fused.removed.Add(node);
      }
      fused.count += input_.Counts(longest) ? 1 : 0;
    }
    return fused;
  }

  bool IsOne(NodeId node) const {
    return (are_fusible_.Has(node) || (are_alike_ && reduce_.Has(node))) &&
           input_.graph().StepOf(node) != kNoStep && !attention_.Claims(node) &&
           !loss_.Claims(node) && !updates_.Claims(node);
  }

  double ValuesOf(NodeId node) const { return sizes_[input_.graph().nodes().KindOf(node)]; }
  // Over as many values as the first of the chain, or nearly.
  bool IsWhole(NodeId node) const {
    const auto [less, more] = std::minmax({ValuesOf(chain_.front()), ValuesOf(node)});
    return !are_alike_ || (less > 0 && more <= 2 * less);
  }

  // What comes of a reduction is smaller; that it belongs to the chain shows when the chain goes
  // on.
  bool Continues(NodeId node) const {
    const JobGraph& graph = input_.graph();
    if (graph.KindOf(chain_.front()).phase != graph.KindOf(node).phase ||
        graph.StepOf(chain_.front()) != graph.StepOf(node))
      return false;
    if (IsWhole(node)) return true;
    // One value is of the whole tensor.
    return has_reduction_ && ValuesOf(node) > 1 && ValuesOf(node) < ValuesOf(chain_.front());
  }

  void Close() {
    chain_.resize(whole_);  // a reduction at its end gives a result
    for (std::span<const NodeId> rest(chain_); !rest.empty();) {
      const std::size_t size = are_alike_ ? SizeOfFirst(rest) : rest.size();
      Keep(rest.first(size));
      rest = rest.subspan(size);
    }
    chain_.clear();
    whole_ = 0;
    has_reduction_ = false;
  }

  // The same ops again are of another tensor: rotary embeddings of keys behind those of queries.
  std::size_t SizeOfFirst(std::span<const NodeId> chain) const {
    const JobGraph& graph = input_.graph();
    const auto are_same = [&](NodeId a, NodeId b) {
      return graph.KindOf(a).op == graph.KindOf(b).op;
    };
    const std::span<const NodeId> begin = chain.first(std::min(chain.size(), least_));
    const auto again = std::search(chain.begin() + static_cast<std::ptrdiff_t>(begin.size()),
                                   chain.end(), begin.begin(), begin.end(), are_same);
    return static_cast<std::size_t>(again - chain.begin());
  }

  void Keep(std::span<const NodeId> chain) {
    const auto of_whole = std::ranges::count_if(
        chain, [&](NodeId node) { return !reduce_.Has(node) && IsWhole(node); });
    // Copies one behind the other are of several tensors: there is nothing to fuse them with.
    const bool computes = std::ranges::any_of(chain, [&](NodeId node) {
      return input_.graph().KindOf(node).kernel_class == KernelClass::kElementwise;
    });
    if (of_whole < 2 || !computes || chain.size() < least_) return;
    Chain& kept = chains_.emplace_back(Chain{.first = nodes_.size(), .size = chain.size()});
    for (const NodeId node : chain) {
      nodes_.push_back(node);
      kept.ops = 31 * kept.ops + std::hash<std::string_view>()(input_.graph().KindOf(node).op);
    }
  }

  const RuleInput& input_;
  const KindsThat& are_fusible_;
  const KindsThat reduce_;
  const AttentionParts& attention_;
  const LossParts& loss_;
  const LooseUpdates& updates_;
  std::size_t least_;
  bool are_alike_;
  std::vector<double> sizes_;  // by kind
  std::vector<Chain> chains_;
  std::vector<NodeId> nodes_;  // of these
  std::vector<NodeId> chain_;  // the one that Walk is at
  bool has_reduction_ = false;
  std::size_t whole_ = 0;  // its length up to the last that is over all values
};

std::optional<Cause> FindUnfusedElementwise(const RuleInput& input) {
  std::int64_t fusible = 0, all = 0;
  const auto& attention = input.Shared<AttentionParts>();
  const auto& loss = input.Shared<LossParts>();
  const auto& updates = input.Shared<LooseUpdates>();
  const KindsThat are_fusible(input.graph(), IsFusible);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute) return;
    all += input.graph().nodes()[node].duration_ns;
    if (are_fusible.Has(node) && !attention.Claims(node) && !loss.Claims(node) &&
        !updates.Claims(node))
      fusible += input.graph().nodes()[node].duration_ns;
  });
  const bool is_much = static_cast<double>(fusible) >= kMuchElementwise * static_cast<double>(all);
  Chains chains(input, are_fusible, is_much ? 2 : kLongChain, !is_much);
  for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes) chains.Walk(stream);
  FusedChains fused = chains.All();
  double least = kLowGain;  // of a device that hardly computes no share of computing matters
  const double usual = kUsualInChains * input.step_ns();
  if (!is_much && fused.removed.sums().LostPerStep() < usual) {
    fused = chains.OfLayers(kManyAlikeChains);
    least = kLeastInChains;
  }
  const NodeSums& sums = fused.removed.sums();
  if (sums.empty() || sums.LostPerStep() < least * input.step_ns()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.is_unproven = !is_much && sums.LostPerStep() < kMuchInChains * input.step_ns();
  cause.without = fused.removed.Without();
  const CountWords count = CountAStep(sums.PerStep(static_cast<double>(fused.count)), "chain");
  cause.what = fmt::format(
      "{} of the device's computing is elementwise kernels and data movement, {} {}that one "
      "kernel{} could do{}",
      PercentText(static_cast<double>(fusible) / static_cast<double>(all)), count.text,
      is_much ? "" : fmt::format("of {} kernels and more ", kLongChain),
      count.verb_ending.empty() ? " each" : "", fused.removed.LaunchingText(*cause.without));
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
      .shown_in = {"kernels_by_name", "modules"},
      .advice = kUnfusedElementwiseAdvice,
  };
  return kRule;
}

}  // namespace rankscope
