// The syntax tree of a file. Nothing is known of names yet: that is the checker's (check/).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "probe/syntax/diagnostic.h"

namespace rankscope::probe {

enum class ExprKind : std::uint8_t {
  kName,
  kInteger,
  kReal,
  kText,
  kTrue,
  kFalse,
  kNone,
  kList,           // [a, b]
  kComprehension,  // [a for name in b]
  kUnary,          // -a +a ~a, not a
  kBinary,         // a + b
  kCompare,        // a < b, a is b, a is not b
  kLogical,        // a and b, a or b
  kConditional,    // a if b else c
  kCall,           // a(b, ..., name=c)
  kAttribute,      // a.name
  kSubscript,      // a[b]
};

struct Expr;

struct Keyword {
  std::string_view name;
  Place place;
  const Expr* value = nullptr;
};

// Owned by its SyntaxTree. Which of the fields hold follows from `kind`.
struct Expr {
  ExprKind kind = ExprKind::kNone;
  Place place;
  std::string_view name;       // of kName, kAttribute, kComprehension; the operator of others
  std::string text;            // of kText
  std::uint64_t integer = 0;   // of kInteger
  double real = 0;             // of kReal
  std::vector<const Expr*> a;  // operands in the order of the text; of kCall: what is called, then
                               // what stands without a name
  std::vector<Keyword> keywords;
  int depth = 1;  // of the tree below, this one included
};

struct Assignment {
  std::string_view name;
  Place place;
  const Expr* value = nullptr;
};

struct ClassDef {
  std::string_view name;
  Place place;
  std::vector<const Expr*> decorators;
  std::string about;  // its docstring
  bool has_about = false;
  std::vector<Assignment> assignments;
};

// Refers to the text of the file, which outlives it.
struct SyntaxTree {
  std::deque<Expr> exprs;
  std::vector<ClassDef> classes;
};

// Bounds of a file: the tree is walked recursively.
inline constexpr int kMostDepth = 100;
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostExprs = 200'000;

// Parses the whole file, whatever is wrong with it: what could be read is in the tree.
SyntaxTree Parse(std::string_view text, Diagnostics& diagnostics);

// The tree in parentheses, by the words of Python's `ast`, a class or assignment a line:
//   (class Chip (assign vendor (text "acme")) ...)
std::string DumpTree(const SyntaxTree& tree);

}  // namespace rankscope::probe
