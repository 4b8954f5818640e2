#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& AnnotationsAnalysis();

}  // namespace rankscope
