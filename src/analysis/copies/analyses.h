// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CopiesAnalysis();
const Analysis& CopyBandwidthAnalysis();
const Analysis& MemsetsAnalysis();

}  // namespace rankscope
