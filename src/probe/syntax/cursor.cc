#include "probe/syntax/cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::probe {
namespace {

std::string Shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::kNewline:
      return "the end of the line";
    case TokenKind::kIndent:
      return "an indentation";
    case TokenKind::kDedent:
      return "the end of the class";
    case TokenKind::kEnd:
      return "the end of the file";
    case TokenKind::kText:
      return "a text";
    case TokenKind::kName:
    case TokenKind::kInteger:
    case TokenKind::kReal:
    case TokenKind::kOperator:
      break;
  }
  constexpr std::size_t kMost = 40;
  return fmt::format("`{}{}`", token.text.substr(0, kMost), token.text.size() > kMost ? "..." : "");
}

}  // namespace

bool Cursor::Expect(std::string_view text) {
  if (Take(text)) return true;
  ErrorHere(fmt::format("`{}`", text));
  return false;
}

void Cursor::SkipLine() {
  while (!Is(TokenKind::kNewline) && !Is(TokenKind::kEnd) && !Is(TokenKind::kDedent)) Advance();
  if (Is(TokenKind::kNewline)) Advance();
}

void Cursor::ErrorHere(std::string_view expected, std::string remedy) {
  Error(now().place, fmt::format("{} stands where {} is expected", Shown(now()), expected),
        std::move(remedy));
}

Expr* Cursor::Make(ExprKind kind, Place first, std::vector<const Expr*> a) {
  int depth = 0;
  for (const Expr* one : a) {
    if (one == nullptr) return nullptr;
    depth = std::max(depth, one->depth);
  }
  if (depth >= kMostDepth) {
    Error(first, fmt::format("this expression is nested more than {} deep", kMostDepth),
          "give its parts names");
    return nullptr;
  }
  if (tree_.exprs.size() >= kMostExprs) {
    Error(first, fmt::format("this file has more than {} expressions", kMostExprs),
          "split it in several files");
    return nullptr;
  }
  Expr& made = tree_.exprs.emplace_back();
  made.kind = kind;
  made.place = first;
  made.a = std::move(a);
  made.depth = depth + 1;
  const Place last = tokens_[at_ > 0 ? at_ - 1 : 0].place;
  if (last.line == first.line)
    made.place.length = std::max(first.length, last.column + last.length - first.column);
  return &made;
}

}  // namespace rankscope::probe
