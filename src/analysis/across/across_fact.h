// The joint work of the ranks (AcrossFacts) as a fact of the job that analyses list.
#pragma once

#include "job/across_facts.h"
#include "stage/analysis.h"

namespace rankscope {

// Made of the partials of CollectivesMapper.
const JobFact<AcrossFacts>& AcrossFact();

// For analyses that list it.
inline const AcrossFacts& AcrossOf(const JobContext& job) { return job.Get(AcrossFact()); }

}  // namespace rankscope
