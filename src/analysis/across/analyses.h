// Across ranks: one clock, every collective.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CollectiveMembersAnalysis();  // maps for the others
const Analysis& CollectivesAnalysis();
const Analysis& CollectiveSizesAnalysis();
const Analysis& CollectiveRanksAnalysis();
const Analysis& ClocksAnalysis();
const Analysis& JobStepsAnalysis();
const Analysis& ExposedByGroupAnalysis();
const Analysis& ExposedCommunicationAnalysis();
const Analysis& ExposedByRankAnalysis();
const Analysis& PointToPointAnalysis();
const Analysis& PointToPointMembersAnalysis();
const Analysis& AllToAllAnalysis();
const Analysis& CollectiveTimelineAnalysis();

}  // namespace rankscope
