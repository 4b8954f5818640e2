// Styles of text on a terminal.
//
// Text is laid out first and styled later, since escape sequences have no width. Writers put marks
// around styled text, and Resolve turns marks into escape sequences or removes them. Marks are
// control characters, which SafeForTerminal removes from names.
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
