// What a user calls good enough: --slo ttft=500ms,tpot=50ms,e2e=10s.
#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/base/data.h"

namespace rankscope::serving {

struct Objective {
  Ns ttft, tpot, e2e;

  bool has_any() const { return ttft || tpot || e2e; }
};

// A number with ns, us, ms or s; without a unit it is of milliseconds. kInvalidArgument otherwise.
Result<Objective> ParseObjective(std::string_view text);

}  // namespace rankscope::serving
