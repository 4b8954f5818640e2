#include "timeline/call_tree.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {

std::vector<NestedSpan> Nest(std::vector<TimelineSpan>& spans, TimelineWindow window) {
  const auto order = [](const TimelineSpan& one) {
    return std::tuple(one.start_ns, -one.duration_ns, one.lane);
  };
  if (!std::ranges::is_sorted(spans, {}, order)) std::ranges::sort(spans, {}, order);
  struct Open {
    std::size_t span = 0;
    std::int64_t end_ns = 0;      // not clipped
    std::int64_t covered_to = 0;  // by what lies in it
  };
  std::vector<Open> open;
  std::vector<NestedSpan> nested(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const TimelineSpan& span = spans[i];
    const std::int64_t whole_end = SaturatingAdd(span.start_ns, span.duration_ns);
    while (!open.empty() &&
           (open.back().end_ns < whole_end || open.back().end_ns <= span.start_ns)) {
      open.pop_back();
    }
    const std::int64_t begin = std::max(window.from_ns, span.start_ns);
    const std::int64_t end = std::max(begin, std::min(window.to_ns, whole_end));
    NestedSpan& one = nested[i];
    one.total_ns = one.self_ns = SaturatingSubtract(end, begin);
    if (!open.empty()) {
      Open& around = open.back();
      one.parent = around.span;
      const std::int64_t from = std::max(begin, around.covered_to);
      if (end > from) {
        nested[around.span].self_ns -= end - from;
        around.covered_to = end;
      }
    }
    open.push_back({i, whole_end, begin});
  }
  return nested;
}

void CallTree::Add(std::span<const TimelineSpan> spans, std::span<const NestedSpan> nested) {
  std::vector<std::size_t> node_of(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const NestedSpan& one = nested[i];
    const std::int64_t parent =
        one.parent == NestedSpan::kNoParent ? -1 : static_cast<std::int64_t>(node_of[one.parent]);
    const auto [at, is_new] =
        place_of_.try_emplace({parent, spans[i].kind, spans[i].name}, nodes_.size());
    if (is_new) nodes_.push_back({.parent = parent, .name = spans[i].name, .kind = spans[i].kind});
    node_of[i] = at->second;
    Node& node = nodes_[at->second];
    AddSaturating(node.total_ns, one.total_ns);
    AddSaturating(node.self_ns, one.self_ns);
    ++node.count;
  }
}

std::vector<CallTree::Node> CallTree::Heaviest(std::size_t most) const {
  // No parent is shorter than a child, and it comes first: the heaviest have their parents.
  std::vector<std::size_t> order(nodes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return nodes_[i].total_ns; });
  std::vector<std::int64_t> place(nodes_.size(), -1);
  std::vector<Node> kept;
  for (const std::size_t i : order) {
    Node node = nodes_[i];
    if (kept.size() == most || node.total_ns <= 0) break;
    if (node.parent >= 0) {
      node.parent = place[static_cast<std::size_t>(node.parent)];
      // Children that overlap may come to more than their parent.
      if (node.parent < 0) continue;
    }
    place[i] = static_cast<std::int64_t>(kept.size());
    kept.push_back(node);
  }
  std::map<std::int64_t, Node> rests;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (place[i] >= 0 || node.total_ns <= 0) continue;
    const std::int64_t parent = node.parent < 0 ? -1 : place[static_cast<std::size_t>(node.parent)];
    // What lies in a node that is left out counts with that.
    if (node.parent >= 0 && parent < 0) continue;
    Node& rest = rests.try_emplace(parent, Node{.parent = parent, .is_rest = true}).first->second;
    AddSaturating(rest.total_ns, node.total_ns);
    AddSaturating(rest.self_ns, node.total_ns);
    AddSaturating(rest.count, node.count);
  }
  for (const auto& [parent, rest] : rests) kept.push_back(rest);
  return kept;
}

}  // namespace rankscope
