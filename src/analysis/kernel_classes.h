#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelClassesAnalysis();

}  // namespace rankscope
