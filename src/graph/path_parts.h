// A critical path by cause and row of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/critical_path.h"
#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

enum class PathCause : std::uint8_t {
  kHost,         // work of a host thread
  kLaunch,       // a launch on its way: from the begin of the call until its work begins, but
                 // at most kLaunchLimitNs after its return (launch_time.h: copies)
  kKernelGap,    // between work of a device and what it waited for, up to kGapLimitNs
  kDevice,       // kernels, copies and memsets
  kUnexplained,  // nothing that the trace shows
};
inline constexpr int kPathCauseCount = 5;

struct PathPart {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t track = kNoTrack;  // of the thread or stream; kNoTrack where none is known
  // kHost: the innermost open row, or kNoRow. kDevice: the work. kLaunch, kKernelGap and
  // kUnexplained: the work that began at the end, or kNoRow.
  Row row = kNoRow;
  PathCause cause = PathCause::kUnexplained;
};

// Divides the pieces of a path. Parts are in order of time, none is empty, and together they cover
// the pieces. O(pieces log pieces + rows of the threads on the path).
std::vector<PathPart> PathParts(const RankTrace& trace, const DependencyGraph& graph,
                                std::span<const PathPiece> path);

}  // namespace rankscope
