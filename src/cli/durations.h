// Durations and sizes as people type them, for tools on single traces.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace rankscope::cli {

// "1.5s", "20us", "300ns" in nanoseconds; a unit (s, ms, us, ns) is needed.
Result<std::int64_t> ParseDuration(std::string_view text);

// "10ms-0.5s": begin and end, the begin first.
Result<std::pair<std::int64_t, std::int64_t>> ParseTimeRange(std::string_view text);

// "30d", "12h", "90m", "60s" in seconds: how old something is.
Result<std::int64_t> ParseAge(std::string_view text);

// What --jobs says, 0 being one per core, and no more than the address space has room for.
int ThreadsFor(int jobs);

}  // namespace rankscope::cli
