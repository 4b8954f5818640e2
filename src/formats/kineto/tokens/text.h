// Text repairs: JSON escapes, list normalisation, broken UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::kineto {

// Unescapes the inside of a JSON string into `out`; a lone surrogate or an unknown escape becomes
// U+FFFD.
void Unescape(std::string_view text, std::string& out);

// JSON text without white space outside strings, so that equal lists have equal text however they
// were printed.
void Minify(std::string_view json, std::string& out);

// Replaces control characters inside strings by a space and invalid UTF-8 by U+FFFD in the text of
// one event.
struct Repairs {
  bool control = false;
  bool utf8 = false;
};
Repairs RepairText(std::string_view text, std::string& out);

}  // namespace rankscope::kineto
