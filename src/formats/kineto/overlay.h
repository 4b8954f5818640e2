// Overlays a path through a trace onto the trace, for viewers of Chrome traces (Perfetto).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/trace.h"

namespace rankscope::kineto {

// A stretch of the path. Views must live until the overlay is written.
struct OverlayPart {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Row row = kNoRow;        // the row marked as being on the path; kNoRow: none
  std::string_view cause;  // "compute"
  std::string_view name;   // "gemm"
};

// From a moment on one thread or stream to a later one on another; rows identify both tracks.
struct OverlayArrow {
  Row from_row = kNoRow;
  Row to_row = kNoRow;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::string_view name;
};

struct Overlay {
  std::vector<OverlayPart> parts;  // by time
  std::vector<OverlayArrow> arrows;
  bool only_path = false;  // leave out all other events except metadata, begins and ends (B, E)
};

// Copies the trace that was read from trace.meta.path to `to`. Rows on the path get the argument
// "critical": 1. A process "Critical path" above the others shows the path as two lines, causes and
// parts; arrows of category "critical_path" follow it. An existing overlay is replaced. rankscope
// reads the same rows from the result as from the original.
Status WriteOverlay(const RankTrace& trace, const Overlay& overlay, const std::string& to);

}  // namespace rankscope::kineto
