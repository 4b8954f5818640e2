// Captures of what segments launch, as a CUDA graph holds it.
//
// The host runs captured segments once, before the recording. What it does for them (Python, ops,
// allocations, which have a pool of their own) is in no replay; their kernels and copies are, in
// the same order on the same stream.
#pragma once

#include <vector>

#include "sim/jobs/job.h"
#include "sim/model/library.h"
#include "sim/model/program.h"

namespace rankscope::sim {

// The segments must launch on the compute stream alone, and neither wait nor communicate.
const CapturedGraph* Capture(const std::vector<const Segment*>& segments, GraphSide side,
                             Library* library);

}  // namespace rankscope::sim
