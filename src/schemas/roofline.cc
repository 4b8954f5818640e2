#include "schemas/roofline.h"

namespace rankscope {

template const FlopUtilisation& SchemaOf<FlopUtilisation>();
template const Roofline& SchemaOf<Roofline>();

}  // namespace rankscope
