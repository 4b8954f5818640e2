// kernel_sequences: which kernels the calls of an op launch, in order.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelSequencesAnalysis();

}  // namespace rankscope
