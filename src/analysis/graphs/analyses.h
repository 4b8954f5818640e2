// CUDA graphs: the work that their launches ran, and its owners according to the trace of their
// capture.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& GraphNodesAnalysis();  // maps for the others
const Analysis& GraphsAnalysis();
const Analysis& GraphOpsAnalysis();

}  // namespace rankscope
