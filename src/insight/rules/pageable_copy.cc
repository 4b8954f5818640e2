// pageable-copy: copies from memory that is not pinned block the host.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "base/saturating.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsPageable(const NodeKind& kind) {
  return kind.work == Work::kCopy && kind.name.find("HtoD") != std::string::npos &&
         kind.name.find("Pageable") != std::string::npos;
}

// The job with the copies on a stream of their own, a step ahead, and hosts that wait for none.
class Freed {
 public:
  Freed(const RuleInput& input, const Selection& copies)
      : input_(input), without_(input.recorded()) {
    const JobGraph& graph = input.graph();
    std::map<NodeId, NodeId> copy_of;  // of the node before the call
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (copies.Has(node)) without_.SetDuration(node, 0);
      const auto edges = graph.EdgesOf(node);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (copies.Has(node) && edges[i].kind == DependencyKind::kLaunch)
          copy_of.emplace(edges[i].from, node);
        if (edges[i].kind == DependencyKind::kSync && copies.Has(edges[i].from))
          CutWait(node, graph.nodes()[node].first_edge + i);
      }
    }
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const auto found = copy_of.find(graph.nodes()[node].previous);
      if (found != copy_of.end()) CutCall(node, found->second);
    }
  }

  std::int64_t waited_ns() const { return waited_ns_; }  // by hosts, in steps that count
  Scenario Take() && { return std::move(without_); }

 private:
  void CutWait(NodeId waiting, std::size_t edge) {
    without_.Cut(edge);
    const NodeId before = input_.graph().nodes()[waiting].previous;
    if (before == kNoNode || !input_.Counts(waiting)) return;
    const NodeEdge wait = input_.graph().edge(edge);
    const std::int64_t over = SaturatingAdd(input_.now().EndOf(wait.from), wait.lag_ns);
    waited_ns_ += std::max<std::int64_t>(0, over - input_.now().EndOf(before));
  }

  // The call returns when all is staged, shortly before the copy is over: then no wait is recorded,
  // and the call is as long as the copy.
  void CutCall(NodeId call, NodeId copy) {
    const Work work = input_.graph().KindOf(call).work;
    if (work != Work::kLaunchCall && work != Work::kOtherCall) return;
    const Replay& now = input_.now();
    const std::int64_t beside =
        std::min(now.EndOf(call), now.EndOf(copy)) - std::max(now.BeginOf(call), now.BeginOf(copy));
    if (beside <= 0) return;
    without_.SetDuration(call, input_.graph().nodes()[call].duration_ns - beside);
    if (input_.Counts(call)) waited_ns_ += beside;
  }

  const RuleInput& input_;
  Scenario without_;
  std::int64_t waited_ns_ = 0;
};

std::optional<Cause> Find(const RuleInput& input) {
  const Selection copies =
      Select(input, [](NodeId, const NodeKind& kind) { return IsPageable(kind); });
  if (copies.sums().empty()) return std::nullopt;
  Freed freed(input, copies);
  Cause cause;
  copies.sums().TellIn(cause);
  const double count = copies.sums().CountPerStep();
  const bool is_one = count == 1;
  cause.what = fmt::format(
      "{:.3g} {} a step {} from pageable memory and {} the host: {} {}, the host waits {} for {} "
      "and "
      "what runs before {}",
      count, is_one ? "copy" : "copies", is_one ? "comes" : "come", is_one ? "blocks" : "block",
      is_one ? "it takes" : "they take", TimeText(copies.sums().LostPerStep()),
      TimeText(copies.sums().PerStep(static_cast<double>(freed.waited_ns()))),
      is_one ? "it" : "them", is_one ? "it" : "them");
  cause.without = std::move(freed).Take();
  return cause;
}

constexpr std::array<Advice, 2> kAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "jax.device_put the next batch while this one computes, from arrays that stay allocated."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "dataset.prefetch(tf.data.AUTOTUNE), or tf.data.experimental.prefetch_to_device as the last "
     "stage."},
}};

}  // namespace

const Rule& PageableCopyRule() {
  static const Rule kRule{
      .id = "pageable-copy",
      .summary = "copies from unpinned host memory block the host",
      .takes = Takes::kCopies,
      .find = Find,
      .why =
          "Memcpy HtoD (Pageable -> Device): the driver stages such a copy, and the call returns "
          "when it is over",
      .recommendation = "DataLoader(..., pin_memory=True) and batch.to(device, non_blocking=True).",
      .command = "rankscope table copies TRACES",
      .advice = kAdvice,
  };
  return kRule;
}

}  // namespace rankscope
