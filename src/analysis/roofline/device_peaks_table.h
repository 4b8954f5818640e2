// The device table of the roofline, as an analysis: what it has, from where, and how sure it is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& DevicePeaksAnalysis();

}  // namespace rankscope
