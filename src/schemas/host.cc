#include "schemas/host.h"

namespace rankscope {

template const HostBreakdown& SchemaOf<HostBreakdown>();
template const Annotations& SchemaOf<Annotations>();

}  // namespace rankscope
