// What was sampled of a process, as it goes into its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_profile/samples/profile.h"

namespace rankscope::agent {

// Adds events to the first bytes of a trace, right behind the bracket of `traceEvents`, and returns
// true; false, and no change: the bracket is not among them, or nothing was sampled while it was
// recorded. `tail` are the trace's last bytes, `pid` is the process's number in it.
bool AddCpuEvents(std::string& head, std::string_view tail, std::int64_t pid,
                  const std::vector<cpu_profile::Profile>& profiles);

}  // namespace rankscope::agent
