// How big a job's steps must be for a wanted number of events.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "sim/model/options.h"
#include "sim/model/step_size.h"

namespace rankscope::sim {

// Events that a rank of such a job writes, found by simulating one rank of each role without
// writing; the mean over ranks.
std::int64_t CountEvents(const SimulateOptions& options, const StepSize& size);

// Chooses the step size that comes closest to options.events_per_rank from below, by counting some
// tiny jobs (~1 ms). kInvalidArgument when even the smallest steps have more events.
Result<StepSize> ChooseStepSize(const SimulateOptions& options);

}  // namespace rankscope::sim
