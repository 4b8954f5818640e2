#include "schemas/device.h"

namespace rankscope {

template const Overlap& SchemaOf<Overlap>();
template const Utilisation& SchemaOf<Utilisation>();
template const IdleGaps& SchemaOf<IdleGaps>();
template const KernelClasses& SchemaOf<KernelClasses>();
template const ClassOverlap& SchemaOf<ClassOverlap>();
template const StreamGaps& SchemaOf<StreamGaps>();

}  // namespace rankscope
