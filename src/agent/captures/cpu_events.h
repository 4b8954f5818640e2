// The samples of a process in the form of its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_profile/samples/profile.h"

namespace rankscope::agent {

// Adds events to the first bytes of a trace, right after the bracket of `traceEvents`, and returns
// true. Returns false without a change if the bracket is not among them, or nothing was sampled
// during the recording. `tail` holds the trace's last bytes, and `pid` is the process's number in
// it.
bool AddCpuEvents(std::string& head, std::string_view tail, std::int64_t pid,
                  const std::vector<cpu_profile::Profile>& profiles);

}  // namespace rankscope::agent
