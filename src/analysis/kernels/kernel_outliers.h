#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelOutliersAnalysis();

}  // namespace rankscope
