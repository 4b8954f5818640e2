#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "probe/syntax/literals.h"
#include "probe/syntax/token.h"

namespace rankscope::probe {
namespace {

constexpr std::array<std::string_view, 35> kReserved = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
// The longest first, so that `**` is not two tokens.
constexpr std::array<std::string_view, 48> kOperators = {
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==",
    "!=",  "->",  ":=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",  "!"};

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), wrong_(diagnostics) {}

  std::vector<Token> Run() {
    if (text_.starts_with(kByteOrderMark)) line_start_ = at_ = kByteOrderMark.size();
    while (at_ < text_.size()) {
      if (is_at_line_start_ && brackets_.empty())
        TakeIndentation();
      else
        TakeOne();
    }
    Finish();
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    char closes;
    Place place;
  };

  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Place Here(std::size_t length = 1) const {
    return {line_, static_cast<int>(at_ - line_start_) + 1, static_cast<int>(length)};
  }
  void Push(TokenKind kind, std::size_t length) {
    tokens_.push_back({.kind = kind, .place = Here(length), .text = text_.substr(at_, length)});
  }
  void BeginLine() {
    ++line_;
    line_start_ = at_;
    is_at_line_start_ = brackets_.empty();
  }
  std::size_t LineEnd() const { return std::min(text_.find('\n', at_), text_.size()); }

  // Blank lines and comments have no indentation, as in Python.
  void TakeIndentation() {
    const std::size_t begin = at_;
    while (Peek() == ' ' || Peek() == '\t') ++at_;
    const std::size_t width = at_ - begin;
    const char next = Peek();
    is_at_line_start_ = false;
    if (at_ >= text_.size() || next == '\n' || next == '#' || (next == '\r' && Peek(1) == '\n'))
      return;
    const std::size_t tab = text_.substr(begin, width).find('\t');
    if (tab != std::string_view::npos) {
      wrong_.Error({line_, static_cast<int>(tab) + 1, 1}, "a tab indents this line",
                   "indent with spaces");
      return;  // as the lines above it
    }
    if (width > indents_.back()) {
      indents_.push_back(width);
      Push(TokenKind::kIndent, 0);
      return;
    }
    // What is indented at all belongs to the class above.
    while (width < indents_.back() && (width == 0 || indents_.size() > 2)) {
      indents_.pop_back();
      Push(TokenKind::kDedent, 0);
    }
    if (width != indents_.back()) {
      wrong_.Error(Here(), "this line is indented as none above it",
                   fmt::format("indent it by {} spaces", indents_.back()));
    }
  }

  void TakeOne() {
    const char c = Peek();
    if (c == '\n') return TakeLineEnd(1);
    if (c == '\r' && Peek(1) == '\n') return TakeLineEnd(2);
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '#') {
      SkipComment();
    } else if (IsNameStart(c)) {
      TakeName();
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      TakeNumber();
    } else if (c == '"' || c == '\'') {
      TakeText();
    } else if (!TakeOperator()) {
      RefuseByte();
    }
  }

  void TakeLineEnd(std::size_t bytes) {
    const bool ends_statement =
        brackets_.empty() && !tokens_.empty() && tokens_.back().kind != TokenKind::kNewline &&
        tokens_.back().kind != TokenKind::kIndent && tokens_.back().kind != TokenKind::kDedent;
    if (ends_statement) Push(TokenKind::kNewline, 0);
    at_ += bytes;
    BeginLine();
  }

  // Python reads comments, too: their bytes are to be text.
  void SkipComment() {
    const std::size_t end = LineEnd();
    while (at_ < end) {
      const EscapeText part = ReadEscape(text_[at_] == '\\' ? " " : text_.substr(at_));
      if (!part.wrong.empty()) wrong_.Error(Here(), part.wrong, part.remedy);
      at_ += part.length;
    }
  }

  void TakeName() {
    std::size_t length = 1;
    while (IsNamePart(Peek(length))) ++length;
    const char quote = Peek(length);
    if ((quote == '"' || quote == '\'') && length <= 2) {
      wrong_.Error(Here(length),
                   fmt::format("`{}` stands before a text", text_.substr(at_, length)),
                   "texts have no prefix here: leave it out");
      at_ += length;
      return;
    }
    Push(TokenKind::kName, length);
    at_ += length;
  }

  void TakeNumber() {
    const NumberText number = ReadNumber(text_.substr(at_));
    Push(number.is_real ? TokenKind::kReal : TokenKind::kInteger, number.length);
    tokens_.back().integer = number.integer;
    tokens_.back().real = number.real;
    if (!number.wrong.empty()) wrong_.Error(Here(number.length), number.wrong, number.remedy);
    at_ += number.length;
  }

  void TakeText() {
    const std::size_t quotes = Peek(1) == Peek() && Peek(2) == Peek() ? 3 : 1;
    const Place begin = Here();
    std::string value;
    const std::size_t from = at_;
    std::size_t at = at_ + quotes;
    const std::string_view closing = text_.substr(at_, quotes);
    int lines = 0;
    std::size_t last_line = line_start_;
    while (at < text_.size() && text_.substr(at, quotes) != closing) {
      if (text_[at] == '\n') {
        if (quotes == 1) break;
        ++lines;
        last_line = at + 1;
      }
      const EscapeText part = ReadEscape(text_.substr(at));
      if (!part.wrong.empty()) {
        wrong_.Error(
            {line_ + lines, static_cast<int>(at - last_line) + 1, static_cast<int>(part.length)},
            part.wrong, part.remedy);
      }
      value += part.value;
      at += part.length;
    }
    const bool is_closed = text_.substr(at, quotes) == closing;
    if (!is_closed) wrong_.Error(begin, "this text does not end", "close it with its quote");
    const std::size_t end = std::min(at + (is_closed ? quotes : 0), text_.size());
    Push(TokenKind::kText, end - from);
    tokens_.back().value = std::move(value);
    if (lines > 0) tokens_.back().place.length = 1;
    at_ = end;
    line_ += lines;
    line_start_ = last_line;
  }

  bool TakeOperator() {
    for (const std::string_view one : kOperators) {
      if (!text_.substr(at_).starts_with(one)) continue;
      TrackBracket(one.front());
      Push(TokenKind::kOperator, one.size());
      at_ += one.size();
      return true;
    }
    return false;
  }

  void TrackBracket(char c) {
    if (c == '(') brackets_.push_back({')', Here()});
    if (c == '[') brackets_.push_back({']', Here()});
    if (c == '{') brackets_.push_back({'}', Here()});
    if (c != ')' && c != ']' && c != '}') return;
    if (brackets_.empty())
      return wrong_.Error(Here(), fmt::format("`{}` closes nothing", c), "leave it out");
    const Bracket open = brackets_.back();
    brackets_.pop_back();
    if (open.closes == c) return;
    wrong_.Error(Here(), fmt::format("`{}` closes nothing", c),
                 fmt::format("the bracket of {}:{} is closed by `{}`", open.place.line,
                             open.place.column, open.closes));
  }

  void RefuseByte() {
    const CodePoint point = DecodeUtf8(text_, at_);
    const std::string remedy = "leave it out; outside of texts and comments there is only ASCII";
    if (Peek() == '\\') {
      wrong_.Error(Here(), "a backslash stands outside of a text",
                   "a line goes on where a bracket is open");
    } else if (!point.valid) {
      wrong_.Error(Here(), "these bytes are no UTF-8", "save the file as UTF-8");
    } else {
      wrong_.Error(Here(point.bytes),
                   fmt::format("character U+{:04X} means nothing here", point.value), remedy);
    }
    at_ += point.bytes;
  }

  void Finish() {
    for (const Bracket& open : brackets_) {
      wrong_.Error(open.place, "this bracket is not closed", fmt::format("add `{}`", open.closes));
    }
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline)
      Push(TokenKind::kNewline, 0);
    for (; indents_.size() > 1; indents_.pop_back()) Push(TokenKind::kDedent, 0);
    Push(TokenKind::kEnd, 0);
  }

  std::string_view text_;
  Diagnostics& wrong_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> indents_ = {0};
  std::vector<Bracket> brackets_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  bool is_at_line_start_ = true;
};

}  // namespace

bool IsReservedWord(std::string_view word) {
  return std::ranges::find(kReserved, word) != kReserved.end();
}

std::vector<Token> Tokens(std::string_view text, Diagnostics& diagnostics) {
  return Lexer(text, diagnostics).Run();
}

}  // namespace rankscope::probe
