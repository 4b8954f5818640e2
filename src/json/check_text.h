// What texts of users and of other programs may hold.
#pragma once

#include <string_view>

#include "base/status.h"

namespace rankscope::json {

// A text that is kept and shown: at most `most` bytes, without control characters but line breaks
// and tabs. kInvalidArgument; `what` names it.
Status CheckText(std::string_view what, std::string_view text, std::size_t most);

}  // namespace rankscope::json
