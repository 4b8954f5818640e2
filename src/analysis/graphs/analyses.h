// CUDA graphs: what their launches ran, and through the trace of their capture whose work it is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& GraphNodesAnalysis();  // maps for the others
const Analysis& GraphsAnalysis();
const Analysis& GraphOpsAnalysis();

}  // namespace rankscope
