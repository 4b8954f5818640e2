#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& AnnotationsAnalysis();

}  // namespace rankscope
