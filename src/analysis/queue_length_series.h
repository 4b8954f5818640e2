#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& QueueLengthSeriesAnalysis();

}  // namespace rankscope
