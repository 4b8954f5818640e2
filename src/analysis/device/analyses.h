// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ClassOverlapAnalysis();
const Analysis& IdleGapsAnalysis();
const Analysis& KernelClassesAnalysis();
const Analysis& OverlapAnalysis();
const Analysis& StreamGapsAnalysis();
const Analysis& UnknownGapsAnalysis();
const Analysis& UtilisationAnalysis();

}  // namespace rankscope
