// Numbers and escapes in Python's syntax. Internal to the lexer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::probe {

struct NumberText {
  std::size_t length = 0;  // in bytes, at least 1
  bool is_real = false;
  std::uint64_t integer = 0;
  double real = 0;
  std::string wrong, remedy;  // "": valid
};
// `text` begins with a digit, or with a point and a digit.
NumberText ReadNumber(std::string_view text);

struct EscapeText {
  std::size_t length = 1;
  std::string value;
  std::string wrong, remedy;
};
// The next character of a text, possibly an escape. `text` is not empty.
EscapeText ReadEscape(std::string_view text);

}  // namespace rankscope::probe
