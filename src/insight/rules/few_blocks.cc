// few-blocks: long kernels of so few blocks that most of the device has nothing to do.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "facts/kernel_class.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// A block runs on one multiprocessor. The smallest device for such work (T4) has 40 of them, an
// H100 132, an MI300X 304.
constexpr std::int64_t kFewestUnits = 40;
// A fifth of that.
constexpr std::int64_t kFewBlocks = 8;
// Work that is spread over all units is not done as many times faster: parts are put together, and
// units share the memory.
constexpr double kOfIdeal = 0.5;

// Of "[8,2,1] x [256,1,1]" 16; 0 where it is not known.
std::int64_t BlocksOf(std::string_view launch_shape) {
  std::int64_t blocks = launch_shape.starts_with('[') ? 1 : 0;
  const char* const end = launch_shape.data() + launch_shape.size();
  for (const char* at = launch_shape.data() + 1; blocks > 0 && at < end; ++at) {
    std::int64_t along = 0;
    const auto [next, error] = std::from_chars(at, end, along);
    if (error != std::errc() || along > kFewBlocks) return 0;
    blocks *= along;
    at = next;
    if (next == end || *next == ']') break;
  }
  return blocks;
}

// Kernels that wait for something (a flag, another device, a time) need no more blocks.
bool OnlyWaits(std::string_view name) {
  constexpr std::array<std::string_view, 7> kWaiting = {"spin",   "sleep", "barrier", "wait",
                                                        "signal", "nccl",  "nvshmem"};
  return std::ranges::any_of(kWaiting, [&](std::string_view part) { return Contains(name, part); });
}

std::string_view RemedyFor(const NodeKind& kind) {
  if (kind.kernel_class == KernelClass::kAttention)
    return "Split the keys over blocks, as flash-decoding does (FlashAttention's num_splits, "
           "FlashInfer, a paged attention with partitions), or decode more sequences at once.";
  if (kind.kernel_class == KernelClass::kGemm)
    return "Split the long sum over blocks (split-K), or put several such products into one "
           "(torch.bmm, a larger batch).";
  constexpr std::array<std::string_view, 9> kAlongRows = {
      "sort", "topk", "cumsum", "cumprod", "argmax", "softmax", "unique", "multinomial", "median"};
  if (std::ranges::any_of(kAlongRows,
                          [&](std::string_view part) { return Contains(kind.op, part); }))
    return "A row is one block's: give it more rows at once (a batch in place of a loop), or cut "
           "long rows into pieces whose results are put together; fewer elements help as much "
           "(topk in place of sort).";
  return "Spread the work over more blocks: a grid over more of its dimensions, a second pass that "
         "puts parts together, or more of the batch in one launch.";
}

std::optional<Cause> FindFewBlocks(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const KindsThat are_few(graph, [](const NodeKind& kind) {
    return kind.work == Work::kCompute && BlocksOf(kind.launch_shape) > 0 &&
           BlocksOf(kind.launch_shape) <= kFewBlocks && !OnlyWaits(kind.name);
  });
  const auto& preempted = input.Shared<Preempted>();
  Scenario without = input.recorded();
  NodeSums sums(input);
  double took_ns = 0;
  std::int64_t most_blocks = 0;
  std::map<const NodeKind*, double> lost_of;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const auto ns = static_cast<double>(graph.nodes()[node].duration_ns);
    if (!are_few.Has(node) || ns < kLeastSlowNs || preempted.Has(node)) return;
    const std::int64_t blocks = BlocksOf(kind.launch_shape);
    const double spread =
        ns * static_cast<double>(blocks) / static_cast<double>(kFewestUnits) / kOfIdeal;
    without.SetDuration(node, static_cast<std::int64_t>(spread));
    sums.Add(node, ns - spread);
    if (!input.Counts(node)) return;
    took_ns += ns;
    most_blocks = std::max(most_blocks, blocks);
    lost_of[&kind] += ns - spread;
  });
  if (sums.empty()) return std::nullopt;
  const NodeKind& worst =
      *std::max_element(lost_of.begin(), lost_of.end(), [](const auto& a, const auto& b) {
         return a.second < b.second;
       })->first;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.confidence = 0.7;
  cause.what = fmt::format(
      "kernels of {} take {} a step, {}{}: most of the device has nothing to do meanwhile",
      most_blocks == 1 ? "one block" : fmt::format("at most {} blocks", most_blocks),
      TimeText(sums.PerStep(took_ns)), lost_of.size() > 1 ? "above all those of " : "all of ",
      worst.op.empty() ? worst.name : worst.op);
  cause.recommendation = RemedyFor(worst);
  return cause;
}

}  // namespace

const Rule& FewBlocksRule() {
  static const Rule kRule{
      .id = "few-blocks",
      .summary = "long kernels of a few blocks, beside which the device idles",
      .tier = Tier::kNature,
      .takes = Takes::kKernels,
      .find = FindFewBlocks,
      .why =
          "kernels of 50 us and more with at most 8 blocks; a block runs on one of at least 40 "
          "multiprocessors. Replayed as if spread over 40, half as well as that could be",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
