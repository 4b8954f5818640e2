// The graph while it is built: segments in order of creation, and edges between them or their
// future device work.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

// `from` is a segment, or the device work of from_row; `to` likewise.
struct DraftEdge {
  SegmentId from = kNoSegment;
  SegmentId to = kNoSegment;
  Row from_row = kNoRow;
  Row to_row = kNoRow;
  DependencyKind kind = DependencyKind::kOrder;
  bool inferred = false;
};

struct GraphDraft {
  explicit GraphDraft(std::size_t rows) : segment_of_row(rows, kNoSegment), launched(rows, 0) {}

  SegmentId size() const { return static_cast<SegmentId>(segments.size()); }

  std::vector<Segment> segments;
  std::vector<DraftEdge> edges;
  std::vector<SegmentId> segment_of_row;  // of device work
  std::vector<std::uint8_t> launched;     // by row: device work with a launch edge
  std::vector<SegmentId> collectives;
};

}  // namespace rankscope
