// blame and late_arrivals: who came late to the collectives of a job, and why.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& BlameAnalysis();
const Analysis& LateArrivalsAnalysis();

}  // namespace rankscope
