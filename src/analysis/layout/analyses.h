// The shape of a job, and tables that follow from it.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& LayoutAnalysis();
const Analysis& LayoutRanksAnalysis();
const Analysis& PipelineAnalysis();
const Analysis& PipelineStepsAnalysis();
const Analysis& PipelineScheduleAnalysis();
const Analysis& PipelinePassesAnalysis();
const Analysis& ExpertLoadAnalysis();
const Analysis& ExpertRanksAnalysis();

}  // namespace rankscope
