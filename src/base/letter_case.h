// Lower case of ASCII letters, whatever the locale; all other bytes stay.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace rankscope {

constexpr char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerCase(c);
  return lower;
}

// Whether the text has the part, which is in lower case, in letters of either case.
inline bool ContainsInEitherCase(std::string_view text, std::string_view lower_case_part) {
  return std::search(text.begin(), text.end(), lower_case_part.begin(), lower_case_part.end(),
                     [](char c, char lower) { return LowerCase(c) == lower; }) != text.end();
}

}  // namespace rankscope
