#include "schemas/hta_diff.h"

namespace rankscope {

template const HtaOpsSummary& SchemaOf<HtaOpsSummary>();
template const HtaTraceDiff& SchemaOf<HtaTraceDiff>();
template const HtaOpsDiff& SchemaOf<HtaOpsDiff>();

}  // namespace rankscope
