// Lines of the text report: 80 columns, plain characters except for bars.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

inline constexpr std::size_t kTextWidth = 80;

// An empty line and `text`.
void AppendHeading(std::string& out, std::string_view text);

// A paragraph with the prefix `first` ("  - ") and the following lines indented equally. A word
// longer than a line gets its own line.
void AppendWrapped(std::string& out, std::string_view first, std::string_view text);

// The number of line ends in `text`.
std::size_t LinesOf(std::string_view text);

// A bar for 0..100 percent, `width` characters at 100.
std::string PercentBar(double percent, std::size_t width);

}  // namespace rankscope
