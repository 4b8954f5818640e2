// Steps stated by a file on lines of its devices (XPlane's "Steps"), not by marks on a host thread.
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

// Fills trace.steps, which must be empty; needs links. Devices state the same steps: step k is from
// the earliest begin to the latest end over them; the n-th step with a number on a device is the
// n-th with that number on another. Launched work of a step begins with its call, so step k is
// [begin of k, begin of k+1) on the host, too; the last step ends at its stated end. Two steps with
// the same begin are one.
//
// Incomplete are: a first or last step with a stated duration below half of the usual one between
// them (the lower quartile); and the last step if stated ends are usually over kMostUnstated of a
// step before the next begin and no work has a recorded launch, since its wait for the next step
// was not recorded. O(steps log steps + launches log steps).
void StepsFromStated(RankTrace& trace, std::span<const StatedStep> stated);

inline constexpr double kMostUnstated = 0.02;

}  // namespace rankscope
