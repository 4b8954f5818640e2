#include "report/base/text_lines.h"

#include <algorithm>

#include "base/utf8.h"
#include "table/style.h"

namespace rankscope {

void AppendHeading(std::string& out, std::string_view text) {
  out += '\n' + Marked(Style::kHeading, text) + '\n';
}

void AppendWrapped(std::string& out, std::string_view first, std::string_view text) {
  std::string line(first);
  bool is_empty = true;  // but for the indentation
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!is_empty && CountCodePoints(line) + 1 + CountCodePoints(word) > kTextWidth) {
      out += line + "\n";
      line.assign(CountCodePoints(first), ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  out += line + "\n";
}

std::size_t LinesOf(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string PercentBar(double percent, std::size_t width) {
  const double share = std::clamp(percent, 0.0, 100.0) / 100;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width) + 0.5);
  std::string bar;
  bar.reserve(filled * 3);
  for (std::size_t i = 0; i < filled; ++i) bar += "█";
  return bar;
}

}  // namespace rankscope
