// stacks: Python stacks with the host time and device work that belong to them.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& StacksAnalysis();

}  // namespace rankscope
