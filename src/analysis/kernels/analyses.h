// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& KernelOutliersAnalysis();
const Analysis& KernelPlacesAnalysis();
const Analysis& KernelSequencesAnalysis();
const Analysis& KernelSketchesAnalysis();
const Analysis& KernelStepsAnalysis();
const Analysis& KernelsByRankAnalysis();

}  // namespace rankscope
