#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& FlopUtilisationAnalysis();

}  // namespace rankscope
