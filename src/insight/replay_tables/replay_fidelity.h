// replay_fidelity: how well the replay of the job fits the recording.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& ReplayFidelityAnalysis();

}  // namespace rankscope
