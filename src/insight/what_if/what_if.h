// whatif: the job replayed with changes.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

// Its option `changes` has them, separated by ';'.
const Analysis& WhatIfAnalysis();

}  // namespace rankscope
