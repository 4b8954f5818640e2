// The rules, each in a file of its own.
#pragma once

#include "insight/rule.h"

namespace rankscope {

const Rule& SlowGpuRule();
const Rule& SlowHostRule();
const Rule& InputRule();      // data-starvation, data-straggler
const Rule& HostStallRule();  // gc-pause, checkpoint-stall, recompilation
const Rule& HostSyncRule();
const Rule& AllocatorRule();  // allocator-thrash, memory-pressure
const Rule& PageableCopyRule();

}  // namespace rankscope
