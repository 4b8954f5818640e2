#include "schemas/ranks.h"

namespace rankscope {

template const RankMetrics& SchemaOf<RankMetrics>();
template const OverRanks& SchemaOf<OverRanks>();

}  // namespace rankscope
