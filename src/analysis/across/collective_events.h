// The collectives of one capture, as partials: what CollectivesOfJob joins over ranks.
#pragma once

#include <vector>

#include "facts/trace_facts.h"
#include "stage/analysis.h"

namespace rankscope {

// The tables of job/collective_partial.h and RankWorkTable, with times in absolute nanoseconds of
// the rank's clock.
//
// A kernel's arguments are its own, else those of the record_param_comms around its launch. If
// neither has any (before PyTorch 2.1), the op's name around the launch gives the kind and its
// input shapes give the size, and the work of one stream is one group.
std::vector<Table> MapCollectives(const TraceFacts& facts, const MapOptions& options);
Mapper CollectivesMapper();

}  // namespace rankscope
