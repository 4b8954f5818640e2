// Questions about text that std::string_view of C++20 lacks.
#pragma once

#include <string_view>

namespace rankscope {

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// For ASCII, whatever the locale.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// White space between the parts of JSON; XML's is the same.
constexpr bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace rankscope
