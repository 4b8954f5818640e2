// Where the time of the host's threads goes, by samples of their stacks.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CpuStacksAnalysis();

}  // namespace rankscope
