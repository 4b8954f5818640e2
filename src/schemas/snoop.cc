#include "schemas/snoop.h"

namespace rankscope {

template const SnoopWindows& SchemaOf<SnoopWindows>();
template const SnoopMemory& SchemaOf<SnoopMemory>();
template const SnoopMemoryOverTime& SchemaOf<SnoopMemoryOverTime>();
template const SnoopAllocations& SchemaOf<SnoopAllocations>();
template const SnoopFailures& SchemaOf<SnoopFailures>();
template const SnoopCalls& SchemaOf<SnoopCalls>();
template const SnoopRates& SchemaOf<SnoopRates>();
template const SnoopUses& SchemaOf<SnoopUses>();
template const SnoopThreads& SchemaOf<SnoopThreads>();
template const SnoopWaits& SchemaOf<SnoopWaits>();

}  // namespace rankscope
