// Sends a request to an agent: one connection per request, like dynolog's clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

// Returns the answer's JSON. Blocks up to `time`. kIo, with the address, if there is no answer.
Result<std::string> Call(const std::string& host, std::uint16_t port, std::string_view json,
                         std::chrono::milliseconds time);

}  // namespace rankscope::wire
