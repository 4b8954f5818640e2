// The lines of a file, with the comments that the parser does not see. Internal to format.cc.
#pragma once

#include <string_view>
#include <vector>

#include "probe/syntax/token.h"

namespace rankscope::probe {

// A token within a statement.
struct Piece {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::vector<std::string_view> above;  // comments on lines of their own before it
  std::string_view behind;              // a comment at the end of its line; "": none
};

// A statement, or a comment on a line of its own.
struct FileLine {
  bool is_of_class = false;  // indented
  bool has_blank_above = false;
  std::string_view comment;  // "": a statement
  std::vector<Piece> pieces;
};

// `tokens` are those of `text`, without errors.
std::vector<FileLine> LinesOf(std::string_view text, const std::vector<Token>& tokens);

}  // namespace rankscope::probe
