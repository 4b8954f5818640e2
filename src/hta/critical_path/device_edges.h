// Edges of device work: what each piece of it waited for, and what waited for it.
#pragma once

#include "hta/critical_path/graph.h"

namespace rankscope::hta {

// Whether every launch has an edge to its work, or only those that delay it.
enum class LaunchOrder : std::uint8_t { kWhereItDelays, kAlways };

// Work in the order of its begins, waits of the category "cuda_sync" in the order of their ends:
//
//   - work takes its time;
//   - work starts after its launch (delay: from the launch's begin) when the stream's queue was
//     empty at the launch and is again, and whatever the work could wait for had ended by then;
//   - otherwise after the work before it on the stream, when that ended less than 1500 us ago and
//     after what the work waits for;
//   - "Stream Wait Event": the next work that this thread launches on the stream starts after the
//     last work that was launched before the event's record;
//   - "Event Sync", "Stream Sync", "Context Sync": the waiting call ends after that work, after the
//     last work of the stream, after the last work of every stream.
//
// With LaunchOrder::kAlways work that no launch delay leads to comes after its launch all the same,
// by an edge that weighs nothing (HTA's CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE).
//
// False when HTA stops here: nothing is launched in the frame, a launch has no node, or work would
// wait for work of its own stream. Waits whose record or call is missing add nothing (HTA stops at
// some of them). O(n log n).
bool AddDeviceEdges(Graph& graph, LaunchOrder launch_order);

}  // namespace rankscope::hta
