#include "schemas/memory.h"

namespace rankscope {

template const AllocatorCalls& SchemaOf<AllocatorCalls>();
template const MemoryAtPeak& SchemaOf<MemoryAtPeak>();
template const MemoryGrowth& SchemaOf<MemoryGrowth>();
template const MemoryOverTime& SchemaOf<MemoryOverTime>();
template const MemoryPeaks& SchemaOf<MemoryPeaks>();

}  // namespace rankscope
