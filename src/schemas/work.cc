#include "schemas/work.h"

namespace rankscope {

template const StepWork& SchemaOf<StepWork>();

}  // namespace rankscope
