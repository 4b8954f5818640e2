#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& RooflineAnalysis();

}  // namespace rankscope
