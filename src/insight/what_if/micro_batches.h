// The gain from more, smaller micro-batches in a pipeline.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "schemas/layout.h"

namespace rankscope {

// The share of a step of `step_ns` that is saved when each pipeline does it in `count`
// micro-batches in place of those recorded, each pass shorter by as much. The pipeline's window
// (first to last pass, as recorded) is scaled as the schedule is (PipelineNs) with the stages'
// median passes; what small batches lose on the device is not in it. kInvalidArgument
// for a job without a pipeline, and for a count that its schedule cannot do.
Result<double> SavedByMicroBatches(ViewOf<Pipeline> pipeline, double step_ns, std::int64_t count);

}  // namespace rankscope
