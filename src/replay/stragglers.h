// What stragglers cost a job, from its traces: the method of operations.h, with the nodes of the
// graph of all ranks in place of operations, and the host's work among them.
//
// Ideal is a job in which everybody takes the same for the same: computing and copying the mean at
// their place in the step's program over the rank's peers and all steps, scaled to the mean of all
// ranks of the role for each part of the step, so that stages are alike; transfers the median of
// their op, size and number of members; the host, and what nothing explains, the median at their
// place, and nothing for what most ranks and steps do not do.
#pragma once

#include "job/across_facts.h"
#include "replay/replayed.h"
#include "table/table.h"

namespace rankscope {

// Columns of StragglerSlowdown: the job, its counted steps, dp ranks and stages where the layout
// has them, and types of work: forward-compute, backward-compute, optimizer, other-compute, copy,
// host, and the op of collectives. O(n log n), and a replay per dp rank, stage and type.
Table StragglersOf(const Replayed& replayed, const AcrossFacts& across);

}  // namespace rankscope
