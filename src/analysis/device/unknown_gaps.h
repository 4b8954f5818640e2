#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& UnknownGapsAnalysis();

}  // namespace rankscope
