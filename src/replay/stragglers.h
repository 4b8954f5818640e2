// The cost of stragglers, from traces: the method of operations.h, with the nodes of the graph of
// all ranks instead of operations, including the host's work.
//
// In the ideal job all ranks take the same time for the same work. Computing and copying take the
// mean at their place in the step's program over the rank's peers and all steps, scaled to the mean
// of all ranks of the role for each part of the step, so all stages are equal. Transfers take the
// median of their op, size and number of members. Host work and unexplained gaps take the median at
// their place, and no time if most ranks and steps do not have them.
#pragma once

#include "job/across_facts.h"
#include "replay/replayed.h"
#include "table/table.h"

namespace rankscope {

// Columns of StragglerSlowdown: the job, its counted steps, dp ranks and stages (if in the layout),
// and types of work: forward-compute, backward-compute, optimizer, other-compute, copy, host, and
// the op of collectives. O(n log n), and a replay per dp rank, stage and type.
Table StragglersOf(const Replayed& replayed, const AcrossFacts& across);

}  // namespace rankscope
