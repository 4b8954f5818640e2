// exposed-copies: copies between host and device hold up computing.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/copies/copy_direction.h"
#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/freed_copies.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

constexpr double kCopiesOfABatch = 4;

bool CrossesTheBus(const NodeKind& kind) {
  const std::string_view direction = DirectionOf(kind.name).direction;
  return kind.work == Work::kCopy && (direction == "HtoD" || direction == "DtoH");
}
// To a device from memory of the host of which nothing says whether it is pinned, as on AMD's. A
// host that waits for such a copy reads nothing that it brings.
bool IsFromUnknownMemory(const NodeKind& kind) {
  return kind.work == Work::kCopy && DirectionOf(kind.name).direction == "HtoD" &&
         !Contains(kind.name, "Pinned") && !Contains(kind.name, "Pageable");
}
bool IsMemset(const NodeKind& kind) {
  return kind.work == Work::kCopy && Contains(kind.name, "emset");
}

// Copies of one kind, and what they take.
struct CopiesWaitedFor {
  explicit CopiesWaitedFor(const RuleInput& input) : sums(input) {}
  std::vector<NodeId> nodes;
  NodeSums sums;
  double ShareOf(const RuleInput& input) const {
    return sums.LostPerStep() / std::max(1.0, input.step_ns());
  }
};

// Those that take a good part of the mean: the four bytes of a value beside a batch are none that
// holds up computing.
double CountThatCost(const RuleInput& input, const NodeSums& sums) {
  constexpr double kGoodPart = 0.05;
  const double least = kGoodPart * sums.lost_ns() / static_cast<double>(sums.nodes().size());
  return static_cast<double>(std::ranges::count_if(sums.nodes(), [&](NodeId node) {
    return static_cast<double>(input.graph().nodes().DurationOf(node)) >= least;
  }));
}

std::optional<Cause> FindExposedCopies(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  CopiesWaitedFor copies(input), memsets(input);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (graph.StepOf(node) == kNoStep || (!CrossesTheBus(kind) && !IsMemset(kind))) continue;
    CopiesWaitedFor& of = IsMemset(kind) ? memsets : copies;
    of.nodes.push_back(node);
    of.sums.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
  }
  // The copies of a batch are what every step begins with, and every backward fills memory.
  if (copies.sums.CountPerStep() <= kCopiesOfABatch && copies.ShareOf(input) < kMediumGain)
    copies.nodes.clear();
  if (memsets.ShareOf(input) < kMediumGain) memsets.nodes.clear();
  Scenario without = input.recorded();
  NodeSums sums(input);
  Selection blocking(input);
  std::vector<bool> is_copy(graph.nodes().size(), false);
  for (const CopiesWaitedFor* of : {&copies, &memsets}) {
    for (const NodeId node : of->nodes) {
      without.Overlap(node);
      is_copy[node] = true;
      sums.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
      if (IsFromUnknownMemory(graph.KindOf(node))) blocking.Add(node);
    }
  }
  if (sums.empty()) return std::nullopt;
  FreedCopies freed(input, blocking);
  const double waited_ns = sums.PerStep(static_cast<double>(freed.waited_ns()));
  without.Apply(std::move(freed).Take());
  // Streams that wait for a copy by an event would find it done; hosts that read what it brings
  // wait.
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    const NodeEdge of = graph.edge(edge);
    if (is_copy[of.from] && of.kind != DependencyKind::kLaunch && of.kind != DependencyKind::kSync)
      without.Cut(edge);
  }
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  const std::string_view what = memsets.nodes.empty()  ? "copies between host and device"
                                : copies.nodes.empty() ? "memsets"
                                                       : "copies and memsets";
  const LossWords loss = LossOf(input, cause);
  cause.what = fmt::format("{} hold up computing: {} {}", what, loss.time, loss.when);
  if (cause.steps.empty()) {
    const double count = sums.PerStep(CountThatCost(input, sums));
    cause.what += memsets.nodes.empty()  ? " in " + CountText(count, "copy")
                  : copies.nodes.empty() ? " in " + CountText(count, "memset")
                                         : fmt::format(", {:.0f} of them", count);
  }
  if (copies.nodes.empty()) {
    // Memory that the program reads must be filled: no recording shows which need not be.
    cause.is_unproven = true;
    cause.recommendation =
        "See what fills memory there: optimizer.zero_grad(set_to_none=True) frees gradients in "
        "place of filling them with zeros, a fused loss needs no zeros for its gradient, "
        "torch.empty does where all of it is written anyway.";
  } else if (waited_ns >= kLowGain * input.step_ns()) {
    cause.what += fmt::format("; the host waits {} for those to a device", TimeText(waited_ns));
    cause.recommendation =
        "batch.to(device, non_blocking=True) from pinned memory (DataLoader(..., "
        "pin_memory=True)): "
        "then the host goes on while it is copied; copy ahead of use, the next batch while this "
        "one "
        "computes.";
  }
  return cause;
}

}  // namespace

const Rule& ExposedCopiesRule() {
  static const Rule kRule{
      .id = "exposed-copies",
      .summary = "copies between host and device that nothing hides",
      .tier = Tier::kExposed,
      .takes = Takes::kCopies,
      .needs = RuleNeeds::kDevice,
      .find = FindExposedCopies,
      .why =
          "replayed with these copies on a stream of their own and ahead of use, so that no stream "
          "waits for them, nor a host for one to a device",
      .recommendation =
          "Copy on a stream of its own and ahead of use: pinned memory with non_blocking=True, the "
          "next "
          "batch or layer prefetched while this one computes; offload less where the link cannot "
          "keep up.",
      .command = "rankscope table copies TRACES",
  };
  return kRule;
}

}  // namespace rankscope
