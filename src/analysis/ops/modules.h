// modules: the nn.Module tree of the program, with the host time and device work of each module.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ModulesAnalysis();

}  // namespace rankscope
