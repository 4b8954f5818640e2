#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& QueueLengthSeriesAnalysis();

}  // namespace rankscope
