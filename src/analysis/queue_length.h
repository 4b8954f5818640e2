#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& QueueLengthAnalysis();

}  // namespace rankscope
