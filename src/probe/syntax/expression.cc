// Expressions by operator precedence, as Python has it.
#include <fmt/format.h>

#include <algorithm>

#include "probe/syntax/cursor.h"
#include "probe/syntax/operators.h"

namespace rankscope::probe {
namespace {

// An expression in parentheses is open twice: as a whole, and as an operand.
constexpr int kMostOpen = 2 * kMostDepth;

class ExpressionParser {
 public:
  explicit ExpressionParser(Cursor& cursor) : at_(cursor) {}

  const Expr* Conditional() {
    const Deeper deeper(*this);
    if (!deeper) return nullptr;
    const Place first = at_.now().place;
    const Expr* const value = Binary(kOr);
    if (value == nullptr || !at_.IsWord("if")) return value;
    at_.Advance();
    const Expr* const condition = Binary(kOr);
    if (condition == nullptr || !at_.Expect("else")) return nullptr;
    const Expr* const other = Conditional();
    return at_.Make(ExprKind::kConditional, first, {value, condition, other});
  }

 private:
  // The parser's own recursion is bounded by what is open, not yet by what is made.
  class Deeper {
   public:
    explicit Deeper(ExpressionParser& parser) : parser_(parser) {
      ++parser_.depth_;
      if (parser_.depth_ != kMostOpen) return;
      parser_.at_.Error(parser_.at_.now().place,
                        fmt::format("this expression is nested more than {} deep", kMostDepth),
                        "give its parts names");
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    explicit operator bool() const { return parser_.depth_ < kMostOpen; }

   private:
    ExpressionParser& parser_;
  };

  const Operator* BinaryHere() const {
    const auto found = std::ranges::find_if(kBinary, [&](const Operator& one) {
      return at_.IsOperator(one.text) || at_.IsWord(one.text);
    });
    return found == kBinary.end() ? nullptr : &*found;
  }

  bool RefuseForeign() {
    const bool is_not_in = at_.IsWord("not") && at_.next().text == "in";
    for (const Foreign& one : kForeignOperators) {
      const bool is_it = at_.IsOperator(one.text) || at_.IsWord(one.text);
      if (!is_it && !(is_not_in && one.text == "in")) continue;
      at_.Error(at_.now().place, fmt::format("there is no operator `{}`", one.text),
                std::string(one.remedy));
      return true;
    }
    return false;
  }

  const Expr* Binary(Power least) {
    const Place first = at_.now().place;
    const Expr* left = Prefix(least);
    bool is_comparison = false;  // `left`, without parentheses
    while (left != nullptr) {
      const Operator* const found = BinaryHere();
      if (found == nullptr) return RefuseForeign() ? nullptr : left;
      if (found->power < least) return left;
      std::string_view name = found->text;
      if (found->kind == ExprKind::kCompare && is_comparison) {
        at_.Error(at_.now().place, "two comparisons follow each other", "write `a < b and b < c`");
        return nullptr;
      }
      at_.Advance();
      if (name == "is" && at_.Take("not")) name = "is not";
      const Place of_right = at_.now().place;
      const Expr* const right = Binary(static_cast<Power>(found->power + 1));
      if (right == nullptr) return nullptr;
      if (found->text == "is" && right->kind != ExprKind::kNone) {
        at_.Error(of_right, "`is` compares with None alone", "write `==` or `!=`");
        return nullptr;
      }
      Expr* const made = at_.Make(found->kind, first, {left, right});
      if (made == nullptr) return nullptr;
      made->name = name;
      is_comparison = found->kind == ExprKind::kCompare;
      left = made;
    }
    return nullptr;
  }

  const Expr* Prefix(Power least) {
    const Deeper deeper(*this);
    if (!deeper) return nullptr;
    const Token& token = at_.now();
    const bool is_not = at_.IsWord("not");
    const bool is_sign = at_.IsOperator("-") || at_.IsOperator("+") || at_.IsOperator("~");
    if (!is_not && !is_sign) return Postfix();
    if (is_not && least > kNot) {
      at_.ErrorHere("a value", "put `not ...` in parentheses");
      return nullptr;
    }
    at_.Advance();
    const Expr* const operand = Binary(is_not ? kNot : kSign);
    Expr* const made = at_.Make(ExprKind::kUnary, token.place, {operand});
    if (made != nullptr) made->name = token.text;
    return made;
  }

  const Expr* Postfix() {
    const Place first = at_.now().place;
    const Expr* value = Atom();
    while (value != nullptr) {
      if (at_.IsOperator("(")) {
        value = Call(value, first);
      } else if (at_.IsOperator("[")) {
        value = Subscript(value, first);
      } else if (at_.IsOperator(".")) {
        value = Attribute(value, first);
      } else {
        return value;
      }
    }
    return nullptr;
  }

  const Expr* Atom() {
    const Token& token = at_.now();
    switch (token.kind) {
      case TokenKind::kName:
        return Word();
      case TokenKind::kInteger: {
        at_.Advance();
        Expr* const made = at_.Make(ExprKind::kInteger, token.place);
        if (made != nullptr) made->integer = token.integer;
        return made;
      }
      case TokenKind::kReal: {
        at_.Advance();
        Expr* const made = at_.Make(ExprKind::kReal, token.place);
        if (made != nullptr) made->real = token.real;
        return made;
      }
      case TokenKind::kText:
        return Text();
      case TokenKind::kOperator:
        if (token.text == "(") return Parenthesised();
        if (token.text == "[") return List();
        if (token.text == "{") {
          at_.Error(token.place, "there are no dictionaries and sets", "write name=value pairs");
          return nullptr;
        }
        break;
      case TokenKind::kNewline:
      case TokenKind::kIndent:
      case TokenKind::kDedent:
      case TokenKind::kEnd:
        break;
    }
    at_.ErrorHere("a value");
    return nullptr;
  }

  const Expr* Word() {
    const Token& token = at_.now();
    const auto kind = token.text == "True"    ? ExprKind::kTrue
                      : token.text == "False" ? ExprKind::kFalse
                      : token.text == "None"  ? ExprKind::kNone
                                              : ExprKind::kName;
    if (kind == ExprKind::kName && IsReservedWord(token.text)) {
      at_.ErrorHere("a value");
      return nullptr;
    }
    at_.Advance();
    Expr* const made = at_.Make(kind, token.place);
    if (made != nullptr && kind == ExprKind::kName) made->name = token.text;
    return made;
  }

  // Texts beside each other are one, as in Python.
  const Expr* Text() {
    const Place first = at_.now().place;
    std::string value;
    for (; at_.Is(TokenKind::kText); at_.Advance()) value += at_.now().value;
    Expr* const made = at_.Make(ExprKind::kText, first);
    if (made != nullptr) made->text = std::move(value);
    return made;
  }

  const Expr* Parenthesised() {
    const Place first = at_.now().place;
    at_.Advance();
    const Expr* const value = Conditional();
    if (value == nullptr) return nullptr;
    if (at_.IsOperator(",")) {
      at_.Error(first, "there are no tuples", "write a list: [a, b]");
      return nullptr;
    }
    if (!at_.Expect(")")) return nullptr;
    return value;
  }

  const Expr* List() {
    const Place first = at_.now().place;
    at_.Advance();
    const Expr* const made = ListRest(first);
    return made;
  }

  const Expr* ListRest(Place first) {
    std::vector<const Expr*> items;
    while (!at_.Take("]")) {
      const Expr* const item = Conditional();
      if (item == nullptr) return nullptr;
      items.push_back(item);
      if (items.size() == 1 && at_.IsWord("for")) return Comprehension(first, item);
      if (at_.Take(",")) continue;
      if (!at_.Expect("]")) return nullptr;
      break;
    }
    return at_.Make(ExprKind::kList, first, std::move(items));
  }

  const Expr* Comprehension(Place first, const Expr* item) {
    at_.Advance();
    const Token& name = at_.now();
    if (name.kind != TokenKind::kName || IsReservedWord(name.text)) {
      at_.ErrorHere("the name of a loop");
      return nullptr;
    }
    at_.Advance();
    if (!at_.Expect("in")) return nullptr;
    const Expr* const range = Binary(kOr);
    if (range == nullptr) return nullptr;
    if (at_.IsWord("if") || at_.IsWord("for")) {
      at_.Error(at_.now().place, "a list has one `for` and no condition",
                "write `value if condition else absent` before the `for`");
      return nullptr;
    }
    if (!at_.Expect("]")) return nullptr;
    Expr* const made = at_.Make(ExprKind::kComprehension, first, {item, range});
    if (made != nullptr) made->name = name.text;
    return made;
  }

  const Expr* Call(const Expr* called, Place first) {
    at_.Advance();
    std::vector<const Expr*> a = {called};
    std::vector<Keyword> keywords;
    const bool is_good = Arguments(a, keywords);
    if (!is_good) return nullptr;
    int depth = 0;
    for (const Keyword& one : keywords) depth = std::max(depth, one.value->depth);
    Expr* const made = at_.Make(ExprKind::kCall, first, std::move(a));
    if (made == nullptr) return nullptr;
    made->keywords = std::move(keywords);
    made->depth = std::max(made->depth, depth + 1);
    return made;
  }

  bool Arguments(std::vector<const Expr*>& a, std::vector<Keyword>& keywords) {
    while (!at_.Take(")")) {
      if (!Argument(a, keywords)) return false;
      if (at_.Take(",")) continue;
      if (at_.IsWord("for")) {
        at_.Error(at_.now().place, "there are no generators",
                  "put the list in brackets: [a for i in range(8)]");
        return false;
      }
      if (!at_.Expect(")")) return false;
      break;
    }
    return true;
  }

  bool Argument(std::vector<const Expr*>& a, std::vector<Keyword>& keywords) {
    const Token& token = at_.now();
    if (at_.IsOperator("*") || at_.IsOperator("**")) {
      at_.Error(token.place, "arguments are not unpacked", "write them one by one");
      return false;
    }
    const bool has_name = token.kind == TokenKind::kName &&
                          at_.next().kind == TokenKind::kOperator && at_.next().text == "=";
    if (!has_name) {
      const Expr* const value = Conditional();
      if (value == nullptr) return false;
      if (!keywords.empty()) {
        at_.Error(token.place, "an argument without a name stands behind one with a name",
                  "put it first, or give it a name");
        return false;
      }
      a.push_back(value);
      return true;
    }
    if (IsReservedWord(token.text)) {
      at_.ErrorHere("the name of an argument");
      return false;
    }
    if (std::ranges::any_of(keywords, [&](const Keyword& one) { return one.name == token.text; })) {
      at_.Error(token.place, fmt::format("`{}` is given twice", token.text), "leave one out");
      return false;
    }
    at_.Advance();
    at_.Advance();
    const Expr* const value = Conditional();
    if (value == nullptr) return false;
    keywords.push_back({token.text, token.place, value});
    return true;
  }

  const Expr* Subscript(const Expr* of, Place first) {
    at_.Advance();
    const Expr* const index = at_.IsOperator(":") ? nullptr : Conditional();
    if (at_.IsOperator(":") || at_.IsOperator(",")) {
      at_.Error(at_.now().place, "one element is taken from a list", "write list[0] or list[i]");
      return nullptr;
    }
    if (index == nullptr || !at_.Expect("]")) return nullptr;
    return at_.Make(ExprKind::kSubscript, first, {of, index});
  }

  const Expr* Attribute(const Expr* of, Place first) {
    at_.Advance();
    const Token& name = at_.now();
    if (name.kind != TokenKind::kName || IsReservedWord(name.text)) {
      at_.ErrorHere("the name of a field or function");
      return nullptr;
    }
    at_.Advance();
    Expr* const made = at_.Make(ExprKind::kAttribute, first, {of});
    if (made != nullptr) made->name = name.text;
    return made;
  }

  Cursor& at_;
  int depth_ = 0;
};

}  // namespace

const Expr* ParseExpression(Cursor& cursor) { return ExpressionParser(cursor).Conditional(); }

}  // namespace rankscope::probe
