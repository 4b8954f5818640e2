// What a file is that is no Kineto trace: people hand over what their profiler wrote.
#pragma once

#include <string_view>

namespace rankscope {

// Bytes of a file's beginning, inflated, that NameForeignFormat looks at.
inline constexpr std::size_t kForeignHeadBytes = 4096;

// A sentence that says what the file is and what to do instead, by the first bytes of its content
// and, where these say nothing, the end of its name; "" when it is nothing known.
std::string_view NameForeignFormat(std::string_view head, std::string_view path);

}  // namespace rankscope
