#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& QueueLengthAnalysis();

}  // namespace rankscope
