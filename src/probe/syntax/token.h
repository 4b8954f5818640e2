// Tokens of a specification. The text is a strict subset of Python 3, so editors highlight it and
// Python's own parser reads whatever this one accepts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probe/syntax/diagnostic.h"

namespace rankscope::probe {

enum class TokenKind : std::uint8_t {
  kName,  // also keywords
  kInteger,
  kReal,
  kText,
  kOperator,  // also brackets
  kNewline,   // ends a statement
  kIndent,
  kDedent,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Place place;
  std::string_view text;      // as written in the file
  std::uint64_t integer = 0;  // of kInteger
  double real = 0;            // of kReal
  std::string value;          // of kText: without quotes and escapes
};

// Some editors begin a file with it; Python skips it, too.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// All tokens of `text`, which must outlive them. Ends with kEnd; indents and dedents pair. Invalid
// text is reported and skipped. O(bytes).
std::vector<Token> Tokens(std::string_view text, Diagnostics& diagnostics);

// True for words that Python does not accept as a name: "for".
bool IsReservedWord(std::string_view word);

}  // namespace rankscope::probe
