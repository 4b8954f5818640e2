#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& LaunchOutliersAnalysis();

}  // namespace rankscope
