// data_quality: what was wrong with the input.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& DataQualityAnalysis();

}  // namespace rankscope
