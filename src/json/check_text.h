// Checks of texts from users and other programs.
#pragma once

#include <string_view>

#include "base/status.h"

namespace rankscope::json {

// For a text that is stored and shown: at most `most` bytes, and no control characters except line
// breaks and tabs. kInvalidArgument; `what` names it.
Status CheckText(std::string_view what, std::string_view text, std::size_t most);

}  // namespace rankscope::json
