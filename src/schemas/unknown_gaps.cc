#include "schemas/unknown_gaps.h"

namespace rankscope {

template const UnknownGaps& SchemaOf<UnknownGaps>();

}  // namespace rankscope
