// Steps that a file states itself, on lines of its devices (XPlane's "Steps"), not by marks on a
// host thread.
#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace rankscope {

struct StatedStep {
  std::int64_t number = 0;
  std::int64_t device = 0;  // whose step it is
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // not before the begin
};

// Fills trace.steps, which is empty; needs links. Devices state the same steps: step k is from the
// earliest begin to the latest end over them, where the n-th step of one number on a device is the
// n-th of that number on another. Work of a step that a call launched begins with that call, so
// that step k is [begin of k, begin of k+1) on the host, too; the last one ends where it is stated
// to. Two steps that begin at one time are one.
//
// complete: not the first or last one that is stated to last less than half of what is usual
// between them (the lower quartile); nor the last one where steps are usually stated to end over
// kMostUnstated of a step before the next begins and no work has a recorded launch: how long it
// waits for the next was not recorded. O(steps log steps + launches log steps).
void StepsFromStated(RankTrace& trace, std::span<const StatedStep> stated);

inline constexpr double kMostUnstated = 0.02;

}  // namespace rankscope
