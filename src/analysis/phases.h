#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& PhasesAnalysis();

}  // namespace rankscope
