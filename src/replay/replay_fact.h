// ReplayFact: the graph of all ranks, as analyses ask for it.
#pragma once

#include "replay/job_graph.h"
#include "stage/analysis.h"

namespace rankscope {

const JobFact& ReplayFact();

inline const JobGraph& GraphOf(const JobContext& job) { return job.Get<JobGraph>(ReplayFact()); }

}  // namespace rankscope
