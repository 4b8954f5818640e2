// data_quality: what was wrong with the input.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& DataQualityAnalysis();

}  // namespace rankscope
