// Classes and their assignments. What else Python has is refused with the way to say it here.
#include <fmt/format.h>

#include <array>

#include "probe/syntax/cursor.h"

namespace rankscope::probe {
namespace {

constexpr std::string_view kExample = "write `class Chip(Device):` and its lines below it";

struct Foreign {
  std::string_view word, message, remedy;
};
constexpr std::array kForeign = {
    Foreign{"import", "nothing is imported", "leave it out: all there is has a name already"},
    Foreign{"from", "nothing is imported", "leave it out: all there is has a name already"},
    Foreign{"def", "there are no functions of one's own", "give expressions names: name = ..."},
    Foreign{"for", "there are no loops", "make a list: [delta(x[i]) for i in range(8)]"},
    Foreign{"while", "there are no loops", "make a list: [delta(x[i]) for i in range(8)]"},
    Foreign{"if", "there are no statements with conditions", "write name = a if condition else b"},
    Foreign{"try", "there are no exceptions", "what cannot be read is absent: or_else(x, 0)"},
    Foreign{"with", "there are no `with` blocks", "leave it out"},
    Foreign{"pass", "`pass` does nothing", "leave it out"},
    Foreign{"return", "there are no functions of one's own", "give expressions names: name = ..."},
    Foreign{"class", "a class stands within a class", "begin it at the line's start"},
};

class FileParser {
 public:
  FileParser(Cursor& cursor, SyntaxTree& tree) : at_(cursor), tree_(tree) {}

  void Run() {
    while (!at_.Is(TokenKind::kEnd)) {
      if (at_.Is(TokenKind::kDedent) || at_.Is(TokenKind::kNewline))
        at_.Advance();
      else if (at_.Is(TokenKind::kIndent))
        RefuseIndented();
      else if (at_.IsOperator("@") || at_.IsWord("class"))
        Class();
      else
        RefuseLine();
    }
  }

 private:
  void RefuseIndented() {
    at_.Error(at_.now().place, "this line is indented, and no class stands above it",
              "begin it at the line's start");
    at_.Advance();
  }

  void RefuseLine() {
    if (!RefuseForeign()) at_.ErrorHere("a class", std::string(kExample));
    SkipBlock();
  }

  bool RefuseForeign() {
    for (const Foreign& one : kForeign) {
      if (!at_.IsWord(one.word)) continue;
      at_.Error(at_.now().place, std::string(one.message), std::string(one.remedy));
      return true;
    }
    return false;
  }

  // The line, and what is indented below it.
  void SkipBlock() {
    at_.SkipLine();
    if (!at_.Is(TokenKind::kIndent)) return;
    int depth = 0;
    do {
      depth += at_.Is(TokenKind::kIndent) ? 1 : at_.Is(TokenKind::kDedent) ? -1 : 0;
      at_.Advance();
    } while (depth > 0 && !at_.Is(TokenKind::kEnd));
  }

  void Class() {
    ClassDef made;
    while (at_.IsOperator("@")) {
      at_.Advance();
      const Expr* const decorator = ParseExpression(at_);
      if (decorator != nullptr) made.decorators.push_back(decorator);
      if (decorator != nullptr && !at_.Is(TokenKind::kNewline))
        at_.ErrorHere("the end of the line");
      at_.SkipLine();
    }
    if (!at_.IsWord("class")) {
      at_.ErrorHere("a class", std::string(kExample));
      return SkipBlock();
    }
    at_.Advance();
    if (!Head(made)) return SkipBlock();
    at_.Advance();
    if (!at_.Is(TokenKind::kIndent)) {
      at_.Error(made.place, fmt::format("class {} has no lines", made.name),
                "indent its lines by four spaces");
      return;
    }
    at_.Advance();
    Body(made);
    tree_.classes.push_back(std::move(made));
  }

  // To the end of its line, where the cursor stays.
  bool Head(ClassDef& made) {
    const Token& name = at_.now();
    if (name.kind != TokenKind::kName || IsReservedWord(name.text)) {
      at_.ErrorHere("the name of the class", std::string(kExample));
      return false;
    }
    made.name = name.text;
    made.place = name.place;
    at_.Advance();
    if (!at_.IsOperator("(")) {
      at_.ErrorHere("`(Device)`", std::string(kExample));
      return false;
    }
    at_.Advance();
    if (!at_.IsWord("Device")) {
      at_.ErrorHere("`Device`", "every class is a Device");
      return false;
    }
    at_.Advance();
    if (!at_.Expect(")") || !at_.Expect(":")) return false;
    if (at_.Is(TokenKind::kNewline)) return true;
    at_.ErrorHere("the end of the line", "write each assignment on a line of its own");
    return false;
  }

  void Body(ClassDef& made) {
    bool is_first = true;
    while (!at_.Is(TokenKind::kDedent) && !at_.Is(TokenKind::kEnd)) {
      if (at_.Is(TokenKind::kText) && is_first) {
        About(made);
      } else if (at_.Is(TokenKind::kIndent)) {
        at_.Error(at_.now().place, "this line is indented further than its class",
                  "indent all lines of a class alike");
        SkipIndented();
      } else {
        Line(made);
      }
      is_first = false;
    }
    if (at_.Is(TokenKind::kDedent)) at_.Advance();
  }

  void SkipIndented() {
    int depth = 0;
    do {
      depth += at_.Is(TokenKind::kIndent) ? 1 : at_.Is(TokenKind::kDedent) ? -1 : 0;
      at_.Advance();
    } while (depth > 0 && !at_.Is(TokenKind::kEnd));
  }

  void About(ClassDef& made) {
    for (; at_.Is(TokenKind::kText); at_.Advance()) made.about += at_.now().value;
    made.has_about = true;
    if (!at_.Is(TokenKind::kNewline)) at_.ErrorHere("the end of the line");
    at_.SkipLine();
  }

  void Line(ClassDef& made) {
    const Token& name = at_.now();
    if (RefuseForeign()) return SkipBlock();
    if (name.kind != TokenKind::kName || IsReservedWord(name.text)) {
      at_.ErrorHere("`name = value`");
      return SkipBlock();
    }
    at_.Advance();
    if (!at_.IsOperator("=")) {
      RefuseAfterName(name);
      return SkipBlock();
    }
    at_.Advance();
    const Expr* const value = ParseExpression(at_);
    if (value != nullptr && !at_.Is(TokenKind::kNewline)) RefuseAfterValue();
    at_.SkipLine();
    made.assignments.push_back({name.text, name.place, value});
  }

  void RefuseAfterName(const Token& name) {
    const std::string_view next = at_.now().text;
    if (at_.IsOperator(":")) {
      at_.Error(at_.now().place, "types are not written behind names",
                fmt::format("write {} = value", name.text));
    } else if (at_.Is(TokenKind::kOperator) && next.size() > 1 && next.ends_with('=') &&
               next != "==" && next != "<=" && next != ">=" && next != "!=") {
      at_.Error(at_.now().place, "a name has one value", "give the new value a new name");
    } else {
      at_.ErrorHere("`=`");
    }
  }

  void RefuseAfterValue() {
    if (at_.IsOperator(";"))
      at_.Error(at_.now().place, "a line has one assignment", "begin a new line");
    else if (at_.IsOperator("="))
      at_.Error(at_.now().place, "a line has one assignment",
                "compare with `==`, or begin a new line");
    else if (at_.IsOperator(","))
      at_.Error(at_.now().place, "there are no tuples", "write a list: [a, b]");
    else
      at_.ErrorHere("the end of the line");
  }

  Cursor& at_;
  SyntaxTree& tree_;
};

}  // namespace

SyntaxTree Parse(std::string_view text, Diagnostics& diagnostics) {
  SyntaxTree tree;
  if (text.size() > kMostFileBytes) {
    diagnostics.Error({1, 1, 1}, fmt::format("this file has more than {} bytes", kMostFileBytes),
                      "split it in several files");
    return tree;
  }
  const std::vector<Token> tokens = Tokens(text, diagnostics);
  Cursor cursor(tokens, tree, diagnostics);
  FileParser(cursor, tree).Run();
  return tree;
}

}  // namespace rankscope::probe
