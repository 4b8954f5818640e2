// The wall clock of the server, in seconds since 1970; a test's own where it needs one.
#pragma once

#include <cstdint>
#include <functional>

namespace rankscope::service {

using WallClock = std::function<std::int64_t()>;

}  // namespace rankscope::service
