// The moment at which test data begins.
#pragma once

#include <cstdint>

#include "base/units_for_test.h"

namespace rankscope::serving {

inline constexpr std::int64_t kBegin = 1'764'000'000 * kS;  // 2025-11-24T16:00:00Z

}  // namespace rankscope::serving
