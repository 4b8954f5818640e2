// findings: why the job is slow; contributions: the mean step divided among them; gains: the gain
// without each resource and finding; not_evaluated: causes that these recordings cannot show.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& FindingsAnalysis();
const Analysis& ContributionsAnalysis();
const Analysis& GainsAnalysis();
const Analysis& NotEvaluatedAnalysis();

}  // namespace rankscope
