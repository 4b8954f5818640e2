// Words and numbers of the texts of /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::agent {

// Between blanks.
std::vector<std::string_view> Words(std::string_view line);
// Calls visit(line) for each.
template <typename Visit>
void ForEachLine(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
}
// The whole text must be a number; blanks around it are ignored. Null for anything else.
std::optional<double> NumberOf(std::string_view word);

}  // namespace rankscope::agent
