// The last message of this program on its standard error.
#pragma once

#include <string>

namespace rankscope::service {

// In the file with its standard error: the last line that begins with "rankscope: ", without that
// and without kTracesLink; "" when there is none.
std::string LastSentence(const std::string& path);
// Of the same file: "" when it cannot be read.
std::string FirstLine(const std::string& path);

}  // namespace rankscope::service
