// stacks: Python stacks with the host time and device work that belong to them.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StacksAnalysis();

}  // namespace rankscope
