// Steps by periodicity, for recordings in which nothing marks them.
#pragma once

#include "trace/trace.h"

namespace rankscope {

// Fills trace.steps, counted from 0; none when no period is found. Looks at the host track that
// launches most device work (LaunchingTrack), then at the device's stream that is busy longest: a
// host thread that launches none of the recorded device work says nothing about steps.
//
// A name is a candidate when it occurs k >= 3 times on that track outside Python frames, its gaps
// are regular (median absolute deviation <= 25 % of the median gap) and its occurrences span at
// least half of the track; on a stream a step has two works at least. The period is the smallest
// candidate count k that divides the counts of names which cover at least half of the track's rows;
// the earliest name of that count begins each step. The last step is incomplete, since its end is
// not seen. O(rows).
void StepsFromPeriod(RankTrace& trace);

}  // namespace rankscope
