// The critical path: the chain of work that the end of a recording waited for, back to its begin.
//
// From the segment that ends last the path goes back to its binding predecessor, the one that was
// ready last, and so on; at a rendezvous to the member that arrived last. It covers every instant
// from graph.begin_ns to graph.end_ns exactly once: by the segment that worked then, by the time
// between a segment and its predecessor (a launch latency, a gap between kernels), or by
// unexplained time. So its parts in a window sum to that window. Work outside the path did not
// determine the end of the recording: making it shorter gains nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace rankscope {

struct PathPiece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  // If is_work: work of this segment. Otherwise the time before its begin and after the end of
  // `after`, which is kNoSegment if the graph has no predecessor.
  SegmentId segment = kNoSegment;
  SegmentId after = kNoSegment;
  DependencyKind kind = DependencyKind::kOrder;  // between `after` and `segment`
  bool is_work = false;
};

// In order of time; no piece is empty. Linear in the segments, no recursion.
std::vector<PathPiece> CriticalPath(const DependencyGraph& graph);

// Slack of work on a side thread that ends after graph.end_ns, and of work that only it depends on.
inline constexpr std::int64_t kUnboundedSlack = INT64_MAX;

// How much later each segment could end without changing graph.end_ns, with all work and all start
// gaps (graph.h) as recorded: 0 along the critical path, never negative. Linear.
std::vector<std::int64_t> Slack(const DependencyGraph& graph);

}  // namespace rankscope
