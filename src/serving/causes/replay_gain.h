// The gain of a change: the recorded requests are replayed through a model of this server, as it is
// and with the change.
//
// The model is continuous batching, first come first served. Its slots and its token budget of a
// step are the largest that were recorded. Running requests go first, prompts in chunks. A step
// takes floor + slope * generating requests + cost * prompt tokens, each fitted to the recorded
// steps. The recorded time of frontend and network is added to each request.
//
// A gain is stated only if the model of the unchanged server matches the recorded median time and
// the recorded tokens per second within 15%.
#pragma once

#include "serving/causes/cause.h"

namespace rankscope::serving {

inline constexpr double kMostModelErrorPct = 15;

// Sets gain_pct and model_error_pct, or no_gain. O(generated tokens).
void StateGain(const Analysis& analysis, Finding& finding);

}  // namespace rankscope::serving
