// What a file is that is no Kineto trace: people hand over what their profiler wrote.
#pragma once

#include <string_view>

namespace rankscope {

// A sentence that says what the file is and what to do instead, by the head of its content
// (formats/base/head.h) and, where these say nothing, the end of its name; "" when it is nothing
// known.
std::string_view NameForeignFormat(std::string_view head, std::string_view path);

}  // namespace rankscope
