#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& UtilisationAnalysis();

}  // namespace rankscope
