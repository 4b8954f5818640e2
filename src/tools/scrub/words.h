// The words that may stay in a trace that is shown to others: what is in no list here is replaced.
#pragma once

#include <string_view>

namespace rankscope::tools {

// Lower case, without digits at the end.
bool IsCodeWord(std::string_view lower);     // in names of ops, kernels, calls and types
bool IsGenericWord(std::string_view lower);  // in any other text
bool IsKnownKey(std::string_view key);       // of an object in a trace
bool IsKnownCategory(std::string_view category);

}  // namespace rankscope::tools
