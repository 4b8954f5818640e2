// path_pieces: the critical path through all ranks, stretch by stretch.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& PathPiecesAnalysis();

}  // namespace rankscope
