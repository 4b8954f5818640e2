#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& StepSpreadAnalysis();

}  // namespace rankscope
