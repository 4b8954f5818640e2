// How often this process has opened DuckDB, for tests of what looking at a job costs.
#pragma once

#include <cstdint>

namespace rankscope::sql {

std::int64_t SessionsOpened();

}  // namespace rankscope::sql
