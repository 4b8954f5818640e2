// The parser's position in the tokens, and its error messages. Internal to the parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/syntax/token.h"
#include "probe/syntax/tree.h"

namespace rankscope::probe {

class Cursor {
 public:
  Cursor(const std::vector<Token>& tokens, SyntaxTree& tree, Diagnostics& diagnostics)
      : tokens_(tokens), tree_(tree), wrong_(diagnostics) {}

  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool Is(TokenKind kind) const { return now().kind == kind; }
  bool IsOperator(std::string_view text) const {
    return Is(TokenKind::kOperator) && now().text == text;
  }
  bool IsWord(std::string_view text) const { return Is(TokenKind::kName) && now().text == text; }
  // Does not move beyond the end.
  void Advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool Take(std::string_view text) {
    if (!IsOperator(text) && !IsWord(text)) return false;
    Advance();
    return true;
  }
  // False after an error.
  bool Expect(std::string_view text);
  // Moves past the end of this statement.
  void SkipLine();

  void Error(Place place, std::string message, std::string remedy = {}) {
    wrong_.Error(place, std::move(message), std::move(remedy));
  }
  // "`x` stands where WHAT is expected", for the current token.
  void ErrorHere(std::string_view expected, std::string remedy = {});

  // A node from `first` to the token before the current one. nullptr, after an error, if the tree
  // becomes too deep or too large.
  Expr* Make(ExprKind kind, Place first, std::vector<const Expr*> a = {});

 private:
  const std::vector<Token>& tokens_;
  SyntaxTree& tree_;
  Diagnostics& wrong_;
  std::size_t at_ = 0;
};

// nullptr after an error.
const Expr* ParseExpression(Cursor& cursor);

}  // namespace rankscope::probe
