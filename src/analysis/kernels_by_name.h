// kernels_by_name: device work by name, over all ranks.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelsByNameAnalysis();

}  // namespace rankscope
