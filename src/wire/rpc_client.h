// A request to an agent, and its answer: a connection for each, as dynolog's clients do.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

// The answer's JSON. Blocks up to `time`. kIo, with the address, when nobody answers there.
Result<std::string> Call(const std::string& host, std::uint16_t port, std::string_view json,
                         std::chrono::milliseconds time);

}  // namespace rankscope::wire
