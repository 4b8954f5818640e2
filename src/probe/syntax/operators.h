// Operators with their precedence, as in Python. Internal to the parser.
#pragma once

#include <array>
#include <string_view>

#include "probe/syntax/tree.h"

namespace rankscope::probe {

enum Power {
  kOr = 1,
  kAnd,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
};

struct Operator {
  std::string_view text;
  Power power;
  ExprKind kind;
};
inline constexpr std::array kBinary = {
    Operator{"or", kOr, ExprKind::kLogical},
    Operator{"and", kAnd, ExprKind::kLogical},
    Operator{"<", kComparison, ExprKind::kCompare},
    Operator{"<=", kComparison, ExprKind::kCompare},
    Operator{">", kComparison, ExprKind::kCompare},
    Operator{">=", kComparison, ExprKind::kCompare},
    Operator{"==", kComparison, ExprKind::kCompare},
    Operator{"!=", kComparison, ExprKind::kCompare},
    Operator{"is", kComparison, ExprKind::kCompare},
    Operator{"|", kBitOr, ExprKind::kBinary},
    Operator{"^", kBitXor, ExprKind::kBinary},
    Operator{"&", kBitAnd, ExprKind::kBinary},
    Operator{"<<", kShift, ExprKind::kBinary},
    Operator{">>", kShift, ExprKind::kBinary},
    Operator{"+", kSum, ExprKind::kBinary},
    Operator{"-", kSum, ExprKind::kBinary},
    Operator{"*", kProduct, ExprKind::kBinary},
    Operator{"/", kProduct, ExprKind::kBinary},
    Operator{"//", kProduct, ExprKind::kBinary},
    Operator{"%", kProduct, ExprKind::kBinary},
};

// Python syntax that this language does not have, and what to write instead.
struct Foreign {
  std::string_view text, remedy;
};
inline constexpr std::array kForeignOperators = {
    Foreign{"**", "multiply"},
    Foreign{"in", "compare with == and join with or"},
    Foreign{"@", "there are no matrices"},
    Foreign{":=", "give the value a name on a line of its own"},
};

}  // namespace rankscope::probe
