// The beginning of what is said of recordings without any event; a server makes no second attempt.
#pragma once

#include <string_view>

namespace rankscope {

inline constexpr std::string_view kNoEvent = "no recording has an event";

}  // namespace rankscope
