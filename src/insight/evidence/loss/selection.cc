#include "insight/evidence/loss/selection.h"

#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "trace/value_reads.h"

namespace rankscope {

std::string Selection::LaunchingText(const Scenario& without) const {
  constexpr double kLittleBesideIt = 0.1;
  double sum_ns = 0;
  for (NodeId node = 0; node < has_.size(); ++node) {
    if (has_[node] || !input_->Counts(node)) continue;
    sum_ns +=
        static_cast<double>(input_->graph().nodes()[node].duration_ns - without.DurationOf(node));
  }
  const double ns = sums_.PerStep(sum_ns);
  if (ns <= 0 || ns < kLittleBesideIt * sums_.LostPerStep()) return "";
  return fmt::format("; launching them takes the host {}", TimeText(ns));
}

namespace {

// What a host thread does behind the launch of a copy to the host, and for its value alone: calls,
// and ops that read a value.
bool ReadsOn(const NodeKind& kind) {
  return kind.work == Work::kLaunchCall || kind.work == Work::kOtherCall ||
         kind.work == Work::kSyncCall || ReadsValue(kind.name);
}

}  // namespace

bool Selection::HasWaits() const {
  const JobGraph& graph = input_->graph();
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    const NodeEdge of = graph.edge(edge);
    if (of.kind == DependencyKind::kSync && has_[of.from]) return true;
  }
  return false;
}

Scenario Selection::WithoutAndItsWaits() const {
  const JobGraph& graph = input_->graph();
  Scenario without = Without();
  std::vector<bool> reads(graph.nodes().size(), false);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!has_[edges[i].from] || edges[i].kind != DependencyKind::kSync) continue;
      without.Cut(graph.nodes()[node].first_edge + i);
      if (graph.KindOf(node).work == Work::kSyncCall) without.SetDuration(node, 0);
    }
    if (!has_[node] || graph.KindOf(node).work != Work::kCopy) continue;
    for (const NodeEdge& edge : edges) {
      if (edge.kind == DependencyKind::kLaunch) reads[edge.from] = true;
    }
  }
  // A thread's nodes stand in the order of time.
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeId before = graph.nodes()[node].previous;
    if (before == kNoNode || !reads[before] || !ReadsOn(graph.KindOf(node))) continue;
    reads[node] = true;
    without.SetDuration(node, 0);
  }
  return without;
}

}  // namespace rankscope
