// unfused-elementwise and unfused-attention: chains of kernels that one kernel could do.
//
// A chain is elementwise work of one phase that follows each other on a stream. Each kernel of it
// reads and writes all of memory that it works on; one kernel that does all reads and writes once,
// which takes about as long as the longest of them.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "insight/cause_tools.h"
#include "insight/removal.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

bool IsFusible(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.phase != Phase::kOptimizer &&
         (kind.kernel_class == KernelClass::kElementwise ||
          kind.kernel_class == KernelClass::kDataMovement);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsBatchedProduct(const NodeKind& kind) {
  return kind.work == Work::kCompute && kind.kernel_class == KernelClass::kGemm &&
         (Contains(kind.op, "bmm") || Contains(kind.op, "matmul") || Contains(kind.op, "Bmm"));
}
bool IsSoftmax(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (Contains(kind.op, "softmax") || Contains(kind.name, "softmax") ||
          Contains(kind.name, "SoftMax"));
}

// The compute nodes of each stream in its order.
std::vector<std::vector<NodeId>> Streams(const JobGraph& graph) {
  std::vector<std::uint32_t> stream_of(graph.nodes().size(), UINT32_MAX);
  std::vector<std::vector<NodeId>> streams;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!IsDevice(graph.KindOf(node).work)) continue;
    const NodeId previous = graph.nodes()[node].previous;
    if (previous == kNoNode || stream_of[previous] == UINT32_MAX) {
      stream_of[node] = static_cast<std::uint32_t>(streams.size());
      streams.emplace_back();
    } else {
      stream_of[node] = stream_of[previous];
    }
    streams[stream_of[node]].push_back(node);
  }
  return streams;
}

struct Removed {
  std::vector<bool> is_one;
  std::vector<NodeId> counted;
  std::set<std::uint32_t> ranks;
  std::int64_t ns = 0;
  std::size_t chains = 0;

  explicit Removed(const JobGraph& graph) : is_one(graph.nodes().size(), false) {}
  void Add(const RuleInput& input, NodeId node) {
    is_one[node] = true;
    if (!input.Counts(node)) return;
    counted.push_back(node);
    ranks.insert(input.RankOf(node));
    ns += input.graph().nodes()[node].duration_ns;
  }
};

Cause CauseOf(const RuleInput& input, std::string_view id, const Removed& removed) {
  Cause cause;
  cause.id = id;
  cause.tier = Tier::kNature;
  cause.ranks.assign(removed.ranks.begin(), removed.ranks.end());
  Scenario without = input.recorded();
  Remove(WithLaunches(input.graph(), removed.is_one), without);
  cause.without = std::move(without);
  cause.lost_ns =
      static_cast<std::int64_t>(static_cast<double>(removed.ns) /
                                static_cast<double>(removed.ranks.size() * input.counted().size()));
  TellWhere(input, removed.counted, cause);
  return cause;
}

void FindChains(const RuleInput& input, const std::vector<std::vector<NodeId>>& streams,
                std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  Removed removed(graph);
  std::int64_t fusible = 0, device = 0;
  std::vector<NodeId> chain;
  const auto close = [&] {
    if (chain.size() >= 2) {
      const NodeId longest = *std::max_element(chain.begin(), chain.end(), [&](NodeId a, NodeId b) {
        return graph.nodes()[a].duration_ns < graph.nodes()[b].duration_ns;
      });
      for (const NodeId node : chain) {
        if (node != longest) removed.Add(input, node);
      }
      removed.chains += input.Counts(longest) ? 1 : 0;
    }
    chain.clear();
  };
  for (const std::vector<NodeId>& stream : streams) {
    for (const NodeId node : stream) {
      const NodeKind& kind = graph.KindOf(node);
      if (input.Counts(node) && kind.work == Work::kCompute) {
        device += graph.nodes()[node].duration_ns;
        if (IsFusible(kind)) fusible += graph.nodes()[node].duration_ns;
      }
      const bool continues = IsFusible(kind) && graph.StepOf(node) != kNoStep &&
                             (chain.empty() || (graph.KindOf(chain.back()).phase == kind.phase &&
                                                graph.StepOf(chain.back()) == graph.StepOf(node)));
      if (!continues) close();
      if (IsFusible(kind) && graph.StepOf(node) != kNoStep) chain.push_back(node);
    }
    close();
  }
  if (removed.counted.empty() ||
      static_cast<double>(fusible) < kMuchElementwise * static_cast<double>(device))
    return;
  Cause cause = CauseOf(input, "unfused-elementwise", removed);
  const auto rank_steps = static_cast<double>(removed.ranks.size() * input.counted().size());
  cause.what = fmt::format(
      "{} of the device's computing is elementwise kernels and data movement, {:.0f} chains a step "
      "that one kernel each could do",
      PercentText(static_cast<double>(fusible) / static_cast<double>(device)),
      static_cast<double>(removed.chains) / rank_steps);
  cause.why =
      "elementwise kernels that follow each other on a stream; replayed with one kernel in "
      "place of each chain, as long as the longest of it";
  cause.recommendation =
      "torch.compile the model, or use fused norms, activations, rotary embeddings and losses "
      "(Liger, Apex, Transformer Engine).";
  cause.command = "rankscope table kernel_classes TRACES";
  causes.push_back(std::move(cause));
}

void FindAttention(const RuleInput& input, const std::vector<std::vector<NodeId>>& streams,
                   std::vector<Cause>& causes) {
  constexpr std::size_t kMostBetween = 12;  // scaling, mask, softmax, dropout, casts
  const JobGraph& graph = input.graph();
  Removed removed(graph);
  for (const std::vector<NodeId>& stream : streams) {
    std::size_t product = SIZE_MAX;  // the last batched product
    bool has_softmax = false;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const NodeKind& kind = graph.KindOf(stream[i]);
      if (IsBatchedProduct(kind)) {
        if (product != SIZE_MAX && has_softmax && i - product <= kMostBetween) {
          for (std::size_t k = product + 1; k < i; ++k) {
            if (graph.KindOf(stream[k]).work == Work::kCompute) removed.Add(input, stream[k]);
          }
          ++removed.chains;
        }
        product = i;
        has_softmax = false;
      } else if (IsSoftmax(kind)) {
        has_softmax = true;
      }
    }
  }
  if (removed.counted.empty()) return;
  Cause cause = CauseOf(input, "unfused-attention", removed);
  cause.tier = Tier::kProgram;
  cause.what = fmt::format(
      "attention is computed by separate products, masks and softmax: {} a step between the "
      "products",
      TimeText(static_cast<double>(*cause.lost_ns)));
  cause.why =
      "a batched product, a softmax and another batched product in a row on a stream; replayed "
      "without what lies between, which a fused kernel keeps on the chip";
  cause.recommendation =
      "torch.nn.functional.scaled_dot_product_attention, or FlashAttention; attn_implementation="
      "'sdpa' or 'flash_attention_2' (Transformers).";
  cause.command = "rankscope table kernel_sequences TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const std::vector<std::vector<NodeId>> streams = Streams(input.graph());
  FindAttention(input, streams, causes);
  FindChains(input, streams, causes);
}

}  // namespace

const Rule& UnfusedRule() {
  static const Rule kRule{
      .ids = {"unfused-elementwise", "unfused-attention"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
