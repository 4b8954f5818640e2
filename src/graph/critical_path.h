// The critical path: what the end of a recording had to wait for, back to its begin.
//
// From the segment that ends last the path goes back to its binding predecessor, the one that was
// ready last, and so on; at a rendezvous to the member that arrived last. It covers every instant
// from graph.begin_ns to graph.end_ns exactly once: by the segment that worked then, by what
// happened between a segment and its predecessor (a launch on its way, a gap between kernels), or
// by nothing that the trace shows. So what it says about a window of time sums to that window, and
// what is not on it did not decide when the recording ended: shorter work there gains nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace rankscope {

struct PathPiece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // Work of this segment when is_work; else the time before it began, that followed the end of
  // `after`: kNoSegment when the graph knows of nothing that it waited for.
  SegmentId segment = kNoSegment;
  SegmentId after = kNoSegment;
  DependencyKind kind = DependencyKind::kOrder;  // between `after` and `segment`
  bool is_work = false;
};

// In order of time; no piece is empty. Linear in the segments, no recursion.
std::vector<PathPiece> CriticalPath(const DependencyGraph& graph);

// Of work on a side thread that ends behind graph.end_ns, and of what only that depends on.
inline constexpr std::int64_t kUnboundedSlack = INT64_MAX;

// How much later each segment could have ended without graph.end_ns being later, if all work and
// all start gaps (graph.h) took as long as they did: 0 along the critical path, never less. Linear.
std::vector<std::int64_t> Slack(const DependencyGraph& graph);

}  // namespace rankscope
