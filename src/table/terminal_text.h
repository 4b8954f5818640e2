// Text of a trace made safe for a terminal. Names in a trace are untrusted, and terminals execute
// control sequences: no byte of a name may reach a terminal as a control.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

// `text` with control characters as visible escapes (\n, \t, \x1b, \u202e) and invalid UTF-8 as
// U+FFFD. Controls are C0, DEL, C1 and the invisible characters that reorder, hide or break text.
// The result is valid UTF-8 on one line.
std::string SafeForTerminal(std::string_view text);

// `text` cut to at most `width` code points by leaving out its middle ("void cutl...nel<float>"):
// kernel names differ at both ends.
std::string ShortenMiddle(std::string_view text, std::size_t width);

}  // namespace rankscope
