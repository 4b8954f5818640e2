#include "probe/syntax/format.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "probe/syntax/format_lines.h"
#include "probe/syntax/tree.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kIndent = 4;

using Pieces = std::span<const Piece>;

bool Is(const Piece& piece, std::string_view text) {
  return piece.kind == TokenKind::kOperator && piece.text == text;
}
bool Opens(const Piece& piece) { return Is(piece, "(") || Is(piece, "["); }
bool Closes(const Piece& piece) { return Is(piece, ")") || Is(piece, "]"); }

// Words between values: `a if b else c`, not a name.
bool IsOperatorWord(const Piece& piece) {
  constexpr std::array<std::string_view, 8> kWords = {"and",  "or",  "not", "if",
                                                      "else", "for", "in",  "is"};
  return piece.kind == TokenKind::kName && std::ranges::find(kWords, piece.text) != kWords.end();
}
// Whether a value ends with the piece, so that a bracket behind it calls or selects, and a sign
// behind it takes two values.
bool EndsValue(const Piece& piece) {
  if (piece.kind == TokenKind::kOperator) return Closes(piece);
  return !IsOperatorWord(piece);
}

// The parts of an expression or statement, with brackets matched.
class Statement {
 public:
  explicit Statement(Pieces pieces) : pieces_(pieces), partner_(pieces.size(), 0) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      depth_.push_back(open.size());
      if (Opens(pieces[i])) open.push_back(i);
      if (!Closes(pieces[i]) || open.empty()) continue;
      depth_.back() = open.size() - 1;
      partner_[i] = open.back();
      partner_[open.back()] = i;
      open.pop_back();
    }
  }

  Pieces pieces() const { return pieces_; }
  const Piece& operator[](std::size_t i) const { return pieces_[i]; }
  std::size_t PartnerOf(std::size_t bracket) const { return partner_[bracket]; }

  bool HasSpaceBefore(std::size_t i) const {
    if (i == 0) return false;
    const Piece& before = pieces_[i - 1];
    const Piece& piece = pieces_[i];
    if (Opens(before) || Closes(piece) || Is(piece, ",") || Is(piece, ":")) return false;
    if (Is(before, ".") || (i == 1 && Is(before, "@"))) return false;
    if (Is(piece, ".")) return before.kind == TokenKind::kInteger;  // `3.` is a number
    const bool is_argument = depth_[i] > 0 && (Is(piece, "=") || Is(before, "="));
    if (is_argument || IsSign(i - 1)) return false;
    return !Opens(piece) || !EndsValue(before);
  }

  // Calls and lists: a comma may follow their last element. The class's own bracket is none.
  bool TakesLastComma(std::size_t open) const {
    if (IsLoop(open)) return false;
    if (Is(pieces_[open], "[")) return !IsSelection(open);
    return open > 0 && EndsValue(pieces_[open - 1]) && !Is(pieces_[0], "@") && !IsClass();
  }
  bool IsSelection(std::size_t open) const {
    return Is(pieces_[open], "[") && open > 0 && EndsValue(pieces_[open - 1]);
  }
  bool HasLastComma(std::size_t open) const {
    return Is(pieces_[partner_[open] - 1], ",") && TakesLastComma(open);
  }

  // The bracket's elements, each up to its comma.
  std::vector<std::pair<std::size_t, std::size_t>> ElementsOf(std::size_t open) const {
    std::vector<std::pair<std::size_t, std::size_t>> elements;
    std::size_t first = open + 1;
    for (std::size_t i = first; i <= partner_[open]; ++i) {
      const bool ends =
          i == partner_[open] || (Is(pieces_[i], ",") && depth_[i] == depth_[open] + 1);
      if (!ends) continue;
      if (i > first) elements.emplace_back(first, i);
      first = i + 1;
    }
    return elements;
  }

 private:
  bool IsClass() const { return pieces_[0].kind == TokenKind::kName && pieces_[0].text == "class"; }
  bool IsSign(std::size_t i) const {
    const Piece& piece = pieces_[i];
    if (Is(piece, "~")) return true;
    return (Is(piece, "-") || Is(piece, "+")) && (i == 0 || !EndsValue(pieces_[i - 1]));
  }
  bool IsLoop(std::size_t open) const {
    for (std::size_t i = open; i < partner_[open]; ++i) {
      if (depth_[i] == depth_[open] + 1 && pieces_[i].kind == TokenKind::kName &&
          pieces_[i].text == "for")
        return true;
    }
    return false;
  }

  Pieces pieces_;
  std::vector<std::size_t> partner_, depth_;
};

class Writer {
 public:
  std::string Take() && { return std::move(out_); }

  void Line(const FileLine& line) {
    Separate(line);
    const std::size_t indent = line.is_of_class ? kIndent : 0;
    if (!line.comment.empty()) {
      out_.append(indent, ' ').append(line.comment) += '\n';
    } else {
      const Statement statement(line.pieces);
      Range(statement, 0, line.pieces.size(), indent, "", "");
    }
    before_ = &line;
  }

 private:
  void Separate(const FileLine& line) {
    if (before_ == nullptr) return;
    const bool is_of_head = !before_->is_of_class && !before_->pieces.empty();  // or decorates it
    std::size_t blank = line.has_blank_above && !is_of_head ? 1 : 0;
    if (!line.is_of_class) blank = before_->is_of_class ? 2 : 2 * blank;
    out_.append(blank, '\n');
  }

  static std::string Flat(const Statement& statement, std::size_t first, std::size_t last) {
    std::string text;
    for (std::size_t i = first; i < last; ++i) {
      if (i > first && statement.HasSpaceBefore(i)) text += ' ';
      text += statement[i].text;
    }
    return text;
  }

  static bool HasComments(const Statement& statement, std::size_t open) {
    for (std::size_t i = open; i < statement.PartnerOf(open); ++i) {
      if (!statement[i].behind.empty() || !statement[i + 1].above.empty()) return true;
    }
    return false;
  }
  // Whether the bracket, or one within it, has a comma behind its last element.
  static bool HasCommas(const Statement& statement, std::size_t open) {
    for (std::size_t i = open; i < statement.PartnerOf(open); ++i) {
      if (Opens(statement[i]) && statement.HasLastComma(i)) return true;
    }
    return false;
  }

  // Brackets of the range that are broken: what is within stands on lines of its own.
  static std::vector<std::size_t> Broken(const Statement& statement, std::size_t first,
                                         std::size_t last, bool is_too_long) {
    std::vector<std::size_t> broken;
    std::size_t longest = first, most = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (!Opens(statement[i])) continue;
      const std::size_t close = statement.PartnerOf(i);
      if (HasComments(statement, i) || HasCommas(statement, i)) broken.push_back(i);
      const std::size_t length = Flat(statement, i, close).size();
      if (length > most && close > i + 1 && !statement.IsSelection(i)) {
        longest = i;
        most = length;
      }
      i = close;
    }
    if (broken.empty() && is_too_long && most > 0) broken.push_back(longest);
    return broken;
  }

  // Comments of the range that stand in no broken bracket, and not at its end: above it.
  void Hoist(const Statement& statement, std::size_t first, std::size_t last,
             const std::vector<std::size_t>& broken, std::size_t indent) {
    for (std::size_t i = first; i < last; ++i) {
      for (const std::string_view comment : statement[i].above) Comment(comment, indent);
      if (std::ranges::find(broken, i) != broken.end()) i = statement.PartnerOf(i);
      if (i + 1 < last && !statement[i].behind.empty()) Comment(statement[i].behind, indent);
    }
  }
  void Comment(std::string_view comment, std::size_t indent) {
    out_.append(indent, ' ').append(comment) += '\n';
  }

  // The pieces [first, last), then `end`, and behind that the comment of the last piece, or else
  // `behind`; a whole line.
  void Range(const Statement& statement, std::size_t first, std::size_t last, std::size_t indent,
             std::string_view end, std::string_view behind) {
    const std::string flat = Flat(statement, first, last);
    const std::size_t line = flat.find('\n');
    const bool is_too_long =
        indent + (line == std::string::npos ? flat.size() + end.size() : line) >
        kMostFormattedColumns;
    const std::vector<std::size_t> broken = Broken(statement, first, last, is_too_long);
    Hoist(statement, first, last, broken, indent);
    out_.append(indent, ' ');
    std::size_t next = first;
    for (const std::size_t open : broken) {
      out_ += Flat(statement, next, open + 1);
      if (!statement[open].behind.empty()) out_.append("  ").append(statement[open].behind);
      out_ += '\n';
      Within(statement, open, indent + kIndent);
      out_.append(indent, ' ');
      next = statement.PartnerOf(open);
    }
    out_ += Flat(statement, next, last);
    out_ += end;
    for (const std::string_view comment : {statement[last - 1].behind, behind})
      if (!comment.empty()) out_.append("  ").append(comment);
    out_ += '\n';
  }

  // What a broken bracket holds.
  void Within(const Statement& statement, std::size_t open, std::size_t indent) {
    const std::size_t close = statement.PartnerOf(open);
    const auto elements = statement.ElementsOf(open);
    if (elements.empty()) {
      for (const std::string_view comment : statement[close].above) Comment(comment, indent);
      return;
    }
    const std::string flat = Flat(statement, open + 1, close);
    if (!HasComments(statement, open) && !HasCommas(statement, open) &&
        indent + flat.size() <= kMostFormattedColumns) {
      out_.append(indent, ' ').append(flat) += '\n';
      return;
    }
    for (const auto& [from, to] : elements) {
      const bool is_last = to == elements.back().second;
      const bool has_comma = !is_last || statement.TakesLastComma(open);
      const bool is_comma = Is(statement[to], ",");
      if (is_comma)
        for (const std::string_view comment : statement[to].above) Comment(comment, indent);
      Range(statement, from, to, indent, has_comma ? "," : "",
            is_comma ? statement[to].behind : std::string_view());
    }
    for (const std::string_view comment : statement[close].above) Comment(comment, indent);
  }

  std::string out_;
  const FileLine* before_ = nullptr;
};

}  // namespace

std::optional<std::string> Format(std::string_view text, Diagnostics& diagnostics) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Parse(text, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const std::vector<FileLine> lines = LinesOf(text, Tokens(text, diagnostics));
  Writer writer;
  for (const FileLine& line : lines) writer.Line(line);
  return std::move(writer).Take();
}

}  // namespace rankscope::probe
