#include "probe/syntax/format_lines.h"

#include <utility>

#include "base/text.h"

namespace rankscope::probe {
namespace {

// What stands between two tokens: blanks, line ends and comments.
struct Gap {
  struct Comment {
    std::string_view text;
    bool is_indented = false, has_blank_above = false;
  };
  std::string_view behind;  // on the line of the token before
  std::vector<Comment> comments;
  bool ends_with_blank = false;
};

Gap ReadGap(std::string_view text, bool begins_line) {
  Gap gap;
  bool is_blank = false;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::string_view words = Trimmed(line);
    if (!words.empty() && !begins_line) {
      gap.behind = words;
    } else if (!words.empty()) {
      gap.comments.push_back({words, line.front() != '#', std::exchange(is_blank, false)});
    } else if (begins_line && end != std::string_view::npos) {
      is_blank = true;
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    begins_line = true;
  }
  gap.ends_with_blank = is_blank;
  return gap;
}

bool IsMark(TokenKind kind) {
  return kind == TokenKind::kNewline || kind == TokenKind::kIndent || kind == TokenKind::kDedent ||
         kind == TokenKind::kEnd;
}

class Collector {
 public:
  explicit Collector(std::string_view text) : text_(text) {}

  std::vector<FileLine> Take(const std::vector<Token>& tokens) && {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const auto begin = static_cast<std::size_t>(token.text.data() - text_.data());
      const Gap gap = ReadGap(text_.substr(at_, begin - at_), at_ == 0);
      at_ = begin + token.text.size();
      Place(gap, tokens, i);
      if (token.kind == TokenKind::kIndent) is_of_class_ = true;
      if (token.kind == TokenKind::kDedent) is_of_class_ = false;
      if (token.kind == TokenKind::kNewline) is_open_ = false;
      if (!IsMark(token.kind)) Add(token, gap);
    }
    return std::move(lines_);
  }

 private:
  // The comments of the gap, on lines of their own where no statement is open.
  void Place(const Gap& gap, const std::vector<Token>& tokens, std::size_t next) {
    if (!gap.behind.empty() && !lines_.empty()) lines_.back().pieces.back().behind = gap.behind;
    if (is_open_) return;
    const TokenKind kind = tokens[next].kind;
    for (const Gap::Comment& one : gap.comments) {
      const bool ends_class = kind == TokenKind::kDedent || kind == TokenKind::kEnd;
      const bool is_of_class =
          kind == TokenKind::kIndent || (is_of_class_ && !(ends_class && !one.is_indented));
      lines_.push_back({.is_of_class = is_of_class,
                        .has_blank_above = one.has_blank_above || has_blank_above_,
                        .comment = one.text,
                        .pieces = {}});
      has_blank_above_ = false;
    }
    has_blank_above_ = has_blank_above_ || gap.ends_with_blank;
  }

  void Add(const Token& token, const Gap& gap) {
    if (!is_open_)
      lines_.push_back({.is_of_class = is_of_class_,
                        .has_blank_above = std::exchange(has_blank_above_, false),
                        .comment = {},
                        .pieces = {}});
    Piece piece{.kind = token.kind, .text = token.text, .above = {}, .behind = {}};
    if (is_open_)
      for (const Gap::Comment& one : gap.comments) piece.above.push_back(one.text);
    lines_.back().pieces.push_back(std::move(piece));
    is_open_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;  // behind the last token
  bool is_of_class_ = false, is_open_ = false, has_blank_above_ = false;
  std::vector<FileLine> lines_;
};

}  // namespace

std::vector<FileLine> LinesOf(std::string_view text, const std::vector<Token>& tokens) {
  return Collector(text).Take(tokens);
}

}  // namespace rankscope::probe
