// replay_fidelity: how far the replay of the job can be trusted.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ReplayFidelityAnalysis();

}  // namespace rankscope
