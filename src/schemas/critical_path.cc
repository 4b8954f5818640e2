#include "schemas/critical_path.h"

namespace rankscope {

template const CriticalPathCauses& SchemaOf<CriticalPathCauses>();
template const JobCriticalPath& SchemaOf<JobCriticalPath>();
template const PathOverRanks& SchemaOf<PathOverRanks>();
template const PathPieces& SchemaOf<PathPieces>();

}  // namespace rankscope
