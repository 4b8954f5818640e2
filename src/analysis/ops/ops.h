// ops and ops_by_shape: operators of the framework, and the device work that they launch.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& OpsAnalysis();
const Analysis& OpsByShapeAnalysis();

}  // namespace rankscope
