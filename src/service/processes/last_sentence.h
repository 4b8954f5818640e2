// The last message of this program on its standard error.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::service {

// So it begins where the program ended for want of memory (cli/main.cc, sql/error_text.cc).
inline constexpr std::string_view kOutOfMemory = "out of memory";

// In the file with its standard error: the last line that begins with "rankscope: ", without that
// and without kTracesLink; "" when there is none.
std::string LastSentence(const std::string& path);
// Of the same file: "" when it cannot be read.
std::string FirstLine(const std::string& path);

}  // namespace rankscope::service
