#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelOutliersAnalysis();

}  // namespace rankscope
