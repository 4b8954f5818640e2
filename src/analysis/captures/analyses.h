// Tables of this folder; `rankscope list NAME` says what each is.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& CapturesAnalysis();
const Analysis& DataQualityAnalysis();
const Analysis& RecordedWorkAnalysis();
const Analysis& RecordingAnalysis();

}  // namespace rankscope
