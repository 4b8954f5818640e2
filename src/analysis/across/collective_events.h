// The collectives of one capture, as partials: what CollectivesOfJob joins over ranks.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace rankscope {

// Tables, with times in absolute nanoseconds of the rank's clock:
//
//   groups   name, description, ranks (rank_list.h; null: not known), size (null), is_stated: false
//   for
//            what only shares a stream, in traces without metadata
//   events   one per kernel of communication (per op of Gloo), by begin: group (row of groups), op,
//            dtype, in, out (elements; null), sequence (null), peer (rank; null), in_split,
//            out_split (null), start_ns, dur_ns, step (null: outside), event, part (StepPart of
//            its launch)
//   exposed  stretches of exposed communication: begin_ns, end_ns, step
//   work     RankWorkTable
//
// A kernel's arguments are its own, else those of the record_param_comms around its launch; where
// neither has any (before PyTorch 2.1), the op's name around the launch says what it does, its
// input shapes how much, and work of one stream is one group.
std::vector<Table> MapCollectives(const TraceFacts& facts, const MapOptions& options);

// The first three of these tables, without rows.
Table GroupsOfCollectives();
Table CollectiveEvents();
Table ExposedStretches();

}  // namespace rankscope
