// The words that may stay in a shared trace; everything else is replaced.
#pragma once

#include <string_view>

namespace rankscope::tools {

// `lower` is in lower case, without digits at the end.
bool IsCodeWord(std::string_view lower);     // in names of ops, kernels, calls and types
bool IsGenericWord(std::string_view lower);  // in any other text
bool IsKnownKey(std::string_view key);       // of an object in a trace
bool IsKnownCategory(std::string_view category);

}  // namespace rankscope::tools
