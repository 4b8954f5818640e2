// Telemetry beside traces: sample by sample, and what it says of each recording.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& TelemetryAnalysis();
const Analysis& TelemetryByRankAnalysis();

}  // namespace rankscope
