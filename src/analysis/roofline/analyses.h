// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& DevicePeaksAnalysis();
const Analysis& FlopUtilisationAnalysis();
const Analysis& RooflineAnalysis();

}  // namespace rankscope
