#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& StepSpreadAnalysis();

}  // namespace rankscope
