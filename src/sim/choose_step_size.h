// Chooses how big a job's steps are for a requested number of events.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "sim/model/options.h"
#include "sim/model/step_size.h"

namespace rankscope::sim {

// Mean number of events per rank of such a job. Simulates one rank of each role without writing a
// trace, then takes the mean over all ranks.
std::int64_t CountEvents(const SimulateOptions& options, const StepSize& size);

// Chooses the largest step size that does not exceed options.events_per_rank, by counting the
// events of a few tiny jobs (~1 ms). kInvalidArgument if even the smallest steps have more events.
Result<StepSize> ChooseStepSize(const SimulateOptions& options);

}  // namespace rankscope::sim
