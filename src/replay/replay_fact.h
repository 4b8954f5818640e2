// ReplayFact: the graph of all ranks and its replay, for analyses.
#pragma once

#include "replay/replayed.h"
#include "stage/analysis.h"

namespace rankscope {

const JobFact<Replayed>& ReplayFact();

inline const Replayed& ReplayedOf(const JobContext& job) { return job.Get(ReplayFact()); }
inline const JobGraph& GraphOf(const JobContext& job) { return ReplayedOf(job).graph(); }

}  // namespace rankscope
