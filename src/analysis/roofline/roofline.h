#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& RooflineAnalysis();

}  // namespace rankscope
