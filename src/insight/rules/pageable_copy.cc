// pageable-copy: copies from memory that is not pinned block the host.
#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsPageable(const NodeKind& kind) {
  return kind.work == Work::kCopy && kind.name.find("HtoD") != std::string::npos &&
         kind.name.find("Pageable") != std::string::npos;
}

std::optional<Cause> Find(const RuleInput& input) {
  const Selection copies =
      Select(input, [](NodeId, const NodeKind& kind) { return IsPageable(kind); });
  if (copies.sums().empty()) return std::nullopt;
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (copies.Has(node)) without.SetDuration(node, 0);  // on a stream of its own, a step ahead
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync && copies.Has(edges[i].from))
        without.Cut(graph.nodes()[node].first_edge + i);
    }
  }
  Cause cause;
  copies.sums().TellIn(cause);
  cause.without = std::move(without);
  cause.what =
      fmt::format("{:.0f} copies a step come from pageable memory and block the host, {} in all",
                  copies.sums().CountPerStep(), TimeText(copies.sums().LostPerStep()));
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
