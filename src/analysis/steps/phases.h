#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& PhasesAnalysis();

}  // namespace rankscope
