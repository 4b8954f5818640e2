// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ByLayoutAnalysis();
const Analysis& OverRanksAnalysis();
const Analysis& RankMetricsAnalysis();

}  // namespace rankscope
