// What a change would gain: the recorded requests replayed through a model of this server, as it is
// and with the change.
//
// The model is continuous batching, first come first served: so many slots and a token budget of a
// step, both as large as the largest that was recorded; running requests first, prompts in chunks.
// A step takes floor + slope * generating requests + cost * prompt tokens, each fitted to the
// recorded steps. What was recorded as frontend and network is added to each request.
//
// A gain is stated only where the model of the server as it is misses the recorded median time and
// the recorded tokens per second by at most 15%.
#pragma once

#include "serving/causes/cause.h"

namespace rankscope::serving {

inline constexpr double kMostModelErrorPct = 15;

// Sets gain_pct and model_error_pct, or no_gain. O(generated tokens).
void StateGain(const Analysis& analysis, Finding& finding);

}  // namespace rankscope::serving
