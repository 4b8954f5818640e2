// Steps by periodicity, for recordings without marks.
#pragma once

#include "trace/trace.h"

namespace rankscope {

// Fills trace.steps, counted from 0; none if no period is found. Uses the host track that launches
// most device work (LaunchingTrack), then the busiest stream of a device: a host thread that
// launches none of the recorded device work gives no information about steps.
//
// A name is a candidate if it occurs k >= 3 times on that track outside Python frames, its gaps are
// regular (median absolute deviation <= 25 % of the median gap) and its occurrences span at least
// half of the track; on a stream a step has at least two works. The period is the smallest
// candidate count k that divides the counts of names that cover at least half of the track's rows;
// the earliest name with that count begins each step. The last step is incomplete, since its end is
// not visible. O(rows).
void StepsFromPeriod(RankTrace& trace);

}  // namespace rankscope
