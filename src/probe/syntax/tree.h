// The syntax tree of a file. Names are not resolved yet; the checker does that (check/).
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

// Owned by its SyntaxTree. `kind` determines which fields are valid.
struct Expr {
  ExprKind kind = ExprKind::kNone;
  Place place;
  std::string_view name;       // of kName, kAttribute, kComprehension; otherwise the operator
  std::string text;            // of kText
  std::uint64_t integer = 0;   // of kInteger
  double real = 0;             // of kReal
  std::vector<const Expr*> a;  // operands in text order; of kCall: the callee, then the positional
                               // arguments
  std::vector<Keyword> keywords;
  int depth = 1;  // of the subtree, including this node
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

// Refers to the text of the file, which must outlive it.
struct SyntaxTree {
  std::deque<Expr> exprs;
  std::vector<ClassDef> classes;
};

// Limits per file: the tree is walked recursively.
inline constexpr int kMostDepth = 100;
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostExprs = 200'000;

// Parses the whole file, even after errors: the tree has everything that could be parsed.
SyntaxTree Parse(std::string_view text, Diagnostics& diagnostics);

// The tree in parentheses, with the words of Python's `ast`, one class or assignment per line:
//   (class Chip (assign vendor (text "acme")) ...)
std::string DumpTree(const SyntaxTree& tree);

}  // namespace rankscope::probe
