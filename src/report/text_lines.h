// Lines of the text report: 80 columns, plain characters but for the bars.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

inline constexpr std::size_t kTextWidth = 80;

// An empty line and `text`.
void AppendHeading(std::string& out, std::string_view text);

// A paragraph with `first` in front ("  - ") and its following lines indented as far. A word that
// is longer than a line stands on one of its own.
void AppendWrapped(std::string& out, std::string_view first, std::string_view text);

// How many lines of `text` end.
std::size_t LinesOf(std::string_view text);

// A bar for 0..100 percent, `width` characters at 100.
std::string PercentBar(double percent, std::size_t width);

}  // namespace rankscope
