#include "schemas/blame.h"

namespace rankscope {

template const BlameOfRanks& SchemaOf<BlameOfRanks>();

}  // namespace rankscope
