// A path through a trace, laid over the trace for viewers of Chrome traces (Perfetto).
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
  Row row = kNoRow;        // what is marked as being on the path; kNoRow where nothing is
  std::string_view cause;  // "compute"
  std::string_view name;   // "gemm"
};

// From a moment of a thread or stream to a later one of another.
struct OverlayArrow {
  std::uint32_t from_track = 0;
  std::uint32_t to_track = 0;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::string_view name;
};

struct Overlay {
  std::vector<OverlayPart> parts;  // in order of time
  std::vector<OverlayArrow> arrows;
  bool only_path = false;  // leave out all other events but metadata
};

// Copies the trace that was read from trace.meta.path to `to`. Rows on the path get the argument
// "critical": 1; a process "Critical path" on top of the others shows the path as two lines, causes
// and parts; arrows of category "critical_path" lead along it. Threads and streams whose ids are
// text get no arrows. The result is a trace as before: rankscope reads the same rows from it.
Status WriteOverlay(const RankTrace& trace, const Overlay& overlay, const std::string& to);

}  // namespace rankscope::kineto
