#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& LaunchesAnalysis();

}  // namespace rankscope
