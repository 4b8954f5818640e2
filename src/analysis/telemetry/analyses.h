// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& EnergyAnalysis();
const Analysis& TelemetryAnalysis();
const Analysis& TelemetryByRankAnalysis();

}  // namespace rankscope
