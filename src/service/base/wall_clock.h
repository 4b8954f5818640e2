// The wall clock of the server, in seconds since 1970; tests may replace it.
#pragma once

#include <cstdint>
#include <functional>

namespace rankscope::service {

using WallClock = std::function<std::int64_t()>;

}  // namespace rankscope::service
