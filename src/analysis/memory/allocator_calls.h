// allocator_calls: calls that ask the device's driver for memory.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& AllocatorCallsAnalysis();

}  // namespace rankscope
