// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& LaunchOutliersAnalysis();
const Analysis& LaunchesAnalysis();
const Analysis& QueueLengthAnalysis();
const Analysis& QueueLengthSeriesAnalysis();

}  // namespace rankscope
