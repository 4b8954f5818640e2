#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& LaunchOutliersAnalysis();

}  // namespace rankscope
