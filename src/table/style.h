// How text stands out on a terminal.
//
// Text is laid out first and styled after, since escape sequences have no width: writers put marks
// around what they mean, and Resolve turns them into escape sequences or into nothing. Marks are
// control characters, which SafeForTerminal keeps out of names.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

enum class Style : char {
  kHeading = '\x01',  // bold
  kAlarm = '\x02',    // red
  kNotice = '\x03',   // yellow
  kAside = '\x04',    // dim
};

std::string Marked(Style style, std::string_view text);

// `text` with its marks as sequences of ANSI terminals, or without them. Marks do not nest.
std::string Resolve(std::string_view text, bool colour);

}  // namespace rankscope
