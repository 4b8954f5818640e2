#include "schemas/counters.h"

namespace rankscope {

template const KernelCounters& SchemaOf<KernelCounters>();
template const CounterRoofline& SchemaOf<CounterRoofline>();
template const SampledCounters& SchemaOf<SampledCounters>();
template const SampledKernels& SchemaOf<SampledKernels>();

}  // namespace rankscope
