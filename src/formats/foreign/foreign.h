// Recognises files that are not Kineto traces: people often hand over another profiler's output.
#pragma once

#include <string_view>

namespace rankscope {

// A sentence that says what the file is and what to do instead. It uses the head of the content
// (formats/base/head.h) and, if that says nothing, the end of the file name; "" for an unknown
// format.
std::string_view NameForeignFormat(std::string_view head, std::string_view path);

}  // namespace rankscope
