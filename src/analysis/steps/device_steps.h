#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& DeviceStepsAnalysis();

}  // namespace rankscope
