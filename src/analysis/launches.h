#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& LaunchesAnalysis();

}  // namespace rankscope
