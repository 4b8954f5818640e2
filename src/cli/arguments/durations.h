// Parses durations and sizes that users type, for tools on single traces.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace rankscope::cli {

// "1.5s", "20us", "300ns" to nanoseconds; the unit (s, ms, us, ns) is required.
Result<std::int64_t> ParseDuration(std::string_view text);

// "10ms-0.5s": begin and end; the begin must be smaller.
Result<std::pair<std::int64_t, std::int64_t>> ParseTimeRange(std::string_view text);

// "30d", "12h", "90m", "60s" to seconds: an age.
Result<std::int64_t> ParseAge(std::string_view text);

// Threads for a value of --jobs; 0 means one per core. Limited by the available address space.
int ThreadsFor(int jobs);

}  // namespace rankscope::cli
