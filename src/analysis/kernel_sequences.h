// kernel_sequences: which kernels the calls of an op launch, in order.
#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& KernelSequencesAnalysis();

}  // namespace rankscope
