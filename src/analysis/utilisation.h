#pragma once

#include "analysis/analysis.h"

namespace rankscope {

const Analysis& UtilisationAnalysis();

}  // namespace rankscope
