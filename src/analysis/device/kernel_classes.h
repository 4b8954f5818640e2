#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelClassesAnalysis();

}  // namespace rankscope
