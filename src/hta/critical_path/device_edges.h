// Edges of device work: what each piece of work waited for, and what waited for it.
#pragma once

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// Whether every launch has an edge to its work, or only launches that delay it.
enum class LaunchOrder : std::uint8_t { kWhereItDelays, kAlways };

// Work is handled in the order of begins, waits of the category "cuda_sync" in the order of ends:
//
//   - work takes its time;
//   - work starts after its launch (delay: from the launch's begin) if the stream's queue was
//     empty at the launch and again at its start, and all work it could wait for had ended by then;
//   - otherwise after the previous work of the stream, if that ended less than 1500 us before and
//     after what the work waits for;
//   - "Stream Wait Event": the next work that this thread launches on the stream starts after the
//     last work that was launched before the event's record;
//   - "Event Sync", "Stream Sync", "Context Sync": the waiting call ends after that work, after the
//     last work of the stream, after the last work of every stream.
//
// With LaunchOrder::kAlways, work without a launch-delay edge still gets an edge from its launch,
// with weight 0 (HTA's CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE).
//
// False where HTA fails: the frame has no launch, a launch has no node, or work would wait for work
// of its own stream. Waits whose record or call is missing add nothing (HTA fails for some of
// them). O(n log n).
bool AddDeviceEdges(Graph& graph, LaunchOrder launch_order);

}  // namespace rankscope::hta
