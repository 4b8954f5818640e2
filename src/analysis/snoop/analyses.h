// Tables of this folder: windows of snoop and offcpu beside the traces; `rankscope list NAME` says
// what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& SnoopWindowsAnalysis();
const Analysis& SnoopMemoryAnalysis();
const Analysis& SnoopMemoryOverTimeAnalysis();
const Analysis& SnoopAllocationsAnalysis();
const Analysis& SnoopFailuresAnalysis();
const Analysis& SnoopCallsAnalysis();
const Analysis& SnoopRatesAnalysis();
const Analysis& SnoopUsesAnalysis();
const Analysis& SnoopThreadsAnalysis();
const Analysis& SnoopWaitsAnalysis();

}  // namespace rankscope
