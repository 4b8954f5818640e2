#include "schemas/fleet.h"

namespace rankscope {

template const FleetRun& SchemaOf<FleetRun>();
template const KernelRun& SchemaOf<KernelRun>();
template const FindingRun& SchemaOf<FindingRun>();
template const KernelDay& SchemaOf<KernelDay>();

}  // namespace rankscope
