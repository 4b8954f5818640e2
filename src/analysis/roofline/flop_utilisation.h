#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& FlopUtilisationAnalysis();

}  // namespace rankscope
