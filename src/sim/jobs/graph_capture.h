// Captures the work that segments launch, as a CUDA graph holds it.
//
// The host runs captured segments once, before the recording. A replay contains none of the host's
// work for them (Python, ops, allocations, which come from a pool of their own). It contains their
// kernels and copies, in the same order on the same stream.
#pragma once

#include <vector>

#include "sim/jobs/job.h"
#include "sim/model/library.h"
#include "sim/model/program.h"

namespace rankscope::sim {

// The segments must launch only on the compute stream, and neither wait nor communicate.
const CapturedGraph* Capture(const std::vector<const Segment*>& segments, GraphSide side,
                             Library* library);

}  // namespace rankscope::sim
