// Changes a service, with a way back.
#pragma once

#include <string>

#include "tune/run/outcome.h"
#include "tune/run/spec.h"
#include "tune/subject/guard.h"
#include "tune/subject/subject.h"

namespace rankscope::tune {

struct CanaryResult {
  bool is_kept = false;
  std::string words;  // its result, or why the old settings are back
};

// The guard holds the lease. The same requests are sent to the service before and after the change,
// at `per_s`: before for half of the canary's time, after for all of it. 0: no requests.
Result<CanaryResult> RunCanary(const TuneSpec& spec, const Point& point, double per_s,
                               Subject& service, Guard& guard, const TuneWatch& watch);

}  // namespace rankscope::tune
