// captures: which files belong to the job, and which were left out.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CapturesAnalysis();

}  // namespace rankscope
