#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_name.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

struct NamedOp {
  std::string_view text;
  Op op;
};
constexpr std::array kBinaryOps = {NamedOp{"+", Op::kAdd},           NamedOp{"-", Op::kSubtract},
                                   NamedOp{"*", Op::kMultiply},      NamedOp{"/", Op::kDivide},
                                   NamedOp{"//", Op::kFloorDivide},  NamedOp{"%", Op::kModulo},
                                   NamedOp{"&", Op::kBitAnd},        NamedOp{"|", Op::kBitOr},
                                   NamedOp{"^", Op::kBitXor},        NamedOp{"<<", Op::kShiftLeft},
                                   NamedOp{">>", Op::kShiftRight},   NamedOp{"<", Op::kLess},
                                   NamedOp{"<=", Op::kLessEqual},    NamedOp{">", Op::kGreater},
                                   NamedOp{">=", Op::kGreaterEqual}, NamedOp{"==", Op::kEqual},
                                   NamedOp{"!=", Op::kNotEqual}};

Op OpOf(std::string_view text) { return std::ranges::find(kBinaryOps, text, &NamedOp::text)->op; }

bool IsOpen(TypeKind kind) { return kind == TypeKind::kAny || kind == TypeKind::kAbsent; }

double RealOf(const Value& value) {
  if (const auto* whole = value.If<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* natural = value.If<std::uint64_t>()) return static_cast<double>(*natural);
  return *value.If<double>();
}

}  // namespace

int DeviceChecker::Expression(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName:
      return Word(expr);
    case ExprKind::kInteger:
    case ExprKind::kReal:
    case ExprKind::kText:
    case ExprKind::kTrue:
    case ExprKind::kFalse:
      return Literal(expr);
    case ExprKind::kNone:
      wrong_.Error(expr.place, "None stands alone", "write `absent`, or compare: x is not None");
      return Wrong(expr.place);
    case ExprKind::kList:
      return List(expr);
    case ExprKind::kComprehension:
      return Comprehension(expr);
    case ExprKind::kUnary:
      return Unary(expr);
    case ExprKind::kBinary:
      return Binary(expr);
    case ExprKind::kCompare:
      return expr.a[1]->kind == ExprKind::kNone ? IsNone(expr) : Compare(expr);
    case ExprKind::kLogical:
      return Logical(expr);
    case ExprKind::kConditional: {
      const int value = Expression(*expr.a[0]), condition = Expression(*expr.a[1]);
      return Conditional(expr, value, condition, Expression(*expr.a[2]));
    }
    case ExprKind::kCall:
      return Function(expr);
    case ExprKind::kAttribute:
      return Attribute(expr);
    case ExprKind::kSubscript:
      return Subscript(expr);
  }
  return Wrong(expr.place);
}

int DeviceChecker::Literal(const Expr& expr) {
  constexpr std::uint64_t kMostI64 = std::uint64_t{1} << 63;
  if (expr.kind == ExprKind::kReal)
    return Constant(expr.place, {.kind = TypeKind::kF64}, {expr.real});
  if (expr.kind == ExprKind::kText)
    return Constant(expr.place, {.kind = TypeKind::kStr}, {expr.text});
  if (expr.kind != ExprKind::kInteger)
    return Constant(expr.place, {.kind = TypeKind::kBool}, {expr.kind == ExprKind::kTrue});
  if (expr.integer >= kMostI64)
    return Constant(expr.place, {.kind = TypeKind::kU64}, {expr.integer});
  return Constant(expr.place, {.kind = TypeKind::kI64}, {static_cast<std::int64_t>(expr.integer)});
}

int DeviceChecker::Word(const Expr& expr) {
  Node node;
  node.place = expr.place;
  if (loop_ && expr.name == loop_->name) {
    node.op = Op::kLoop;
    node.type = {.kind = TypeKind::kI64};
    return Add(std::move(node));
  }
  const auto found = symbols_.find(expr.name);
  if (found != symbols_.end() && !IsBuiltIn(expr.name)) {
    Symbol& symbol = found->second;
    symbol.is_used = true;
    if (symbol.kind == SymbolKind::kWrong) return Wrong(expr.place);
    if (symbol.kind == SymbolKind::kEnumItem)
      return Constant(expr.place, {.kind = TypeKind::kEnum, .of = symbol.index}, {symbol.value});
    if (symbol.kind != SymbolKind::kValue) {
      wrong_.Error(expr.place, fmt::format("`{}` is no value", expr.name),
                   symbol.kind == SymbolKind::kLibrary
                       ? fmt::format("call it: {}.call(\"function\", ...)", expr.name)
                       : "take the name of a value");
      return Wrong(expr.place);
    }
    const Named& named = made_.names[static_cast<std::size_t>(symbol.index)];
    if (At(named.node).op == Op::kConstant) {
      Node copy = At(named.node);
      copy.place = expr.place;
      return Add(std::move(copy));
    }
    node.op = Op::kNamed;
    node.ref = symbol.index;
    node.type = TypeAt(named.node);
    node.unit = At(named.node).unit;
    return Add(std::move(node));
  }
  if (expr.name == "absent") {
    node.type = {.kind = TypeKind::kAbsent};
    return Add(std::move(node));
  }
  if (expr.name == "index") {
    node.op = Op::kIndex;
    node.type = {.kind = TypeKind::kI64};
    return Add(std::move(node));
  }
  if (IsBuiltIn(expr.name)) {
    wrong_.Error(expr.place, fmt::format("`{}` is no value", expr.name),
                 FindWidth(expr.name) ? "types stand in file(), out() and struct()"
                                      : fmt::format("call it: {}(...)", expr.name));
  } else {
    UnknownName(expr);
  }
  return Wrong(expr.place);
}

bool DeviceChecker::IsCondition(int node, Place place, std::string_view what) {
  const TypeKind kind = TypeAt(node).kind;
  if (kind == TypeKind::kBool || IsOpen(kind)) return true;
  wrong_.Error(place, fmt::format("{} is a condition, and this is {}", what, Name(node)),
               IsNumber(node) ? "compare it: x != 0" : "compare it with something");
  return false;
}

int DeviceChecker::Unary(const Expr& expr) {
  const int operand = Expression(*expr.a[0]);
  const Place place = expr.place;
  const TypeKind kind = TypeAt(operand).kind;
  Node node{.op = Op::kNegate,
            .type = TypeAt(operand),
            .unit = At(operand).unit,
            .place = place,
            .a = {operand}};
  if (expr.name == "not") {
    node.op = Op::kNot;
    node.type = {.kind = TypeKind::kBool};
    return IsCondition(operand, expr.a[0]->place, "what stands behind `not`") ? Add(std::move(node))
                                                                              : Wrong(place);
  }
  if (expr.name == "~") {
    node.op = Op::kInvert;
    return Bits(expr, Op::kInvert, operand, operand);
  }
  if (!IsNumber(operand)) {
    wrong_.Error(place, fmt::format("`{}` is of numbers, and this is {}", expr.name, Name(operand)),
                 "take a number");
    return Wrong(place);
  }
  if (expr.name == "+") return operand;
  if (IsLiteral(operand)) {
    const Value& value = At(operand).constant;
    if (const auto* whole = value.If<std::int64_t>()) return Constant(place, node.type, {-*whole});
    if (const auto* real = value.If<double>()) return Constant(place, node.type, {-*real});
    // The least i64 has no positive twin.
    if (*value.If<std::uint64_t>() == std::uint64_t{1} << 63)
      return Constant(place, {.kind = TypeKind::kI64}, {std::int64_t{INT64_MIN}});
  }
  if (kind == TypeKind::kU64) {
    wrong_.Error(place, "a u64 is never negative", "convert it: -i64(x)");
    return Wrong(place);
  }
  return Add(std::move(node));
}

int DeviceChecker::Bits(const Expr& expr, Op op, int a, int b) {
  for (int* one : {&a, &b}) {
    const TypeKind kind = TypeAt(*one).kind;
    if (IsLiteral(*one)) {
      if (const auto converted = Converted(*one, TypeKind::kU64)) *one = *converted;
    }
    if (TypeAt(*one).kind == TypeKind::kU64 || IsOpen(kind)) continue;
    wrong_.Error(expr.place, fmt::format("`{}` is of bits, and this is {}", expr.name, Name(*one)),
                 IsNumber(*one) ? "convert it: u64(x)" : "take a u64");
    return Wrong(expr.place);
  }
  Node node{.op = op,
            .type = {.kind = TypeKind::kU64},
            .unit = kNoUnit,
            .place = expr.place,
            .a = {a, b}};
  if (op == Op::kInvert) node.a.pop_back();
  return Add(std::move(node));
}

Unit DeviceChecker::ProductUnit(Op op, int a, int b) const {
  const Unit& first = At(a).unit;
  const Unit& second = At(b).unit;
  const bool is_product = op == Op::kMultiply;
  if (IsLiteral(b)) {
    const double factor = RealOf(At(b).constant);
    return Rescaled(first, is_product ? factor : 1 / factor).value_or(first);
  }
  if (IsLiteral(a)) {
    if (is_product) return Rescaled(second, RealOf(At(a).constant)).value_or(second);
    return Over(Plain(), second);
  }
  return is_product ? Times(first, second) : Over(first, second);
}

int DeviceChecker::Binary(const Expr& expr) {
  int a = Expression(*expr.a[0]), b = Expression(*expr.a[1]);
  const Op op = OpOf(expr.name);
  const std::string where = fmt::format("`{}`", expr.name);
  if (op >= Op::kBitAnd && op <= Op::kShiftRight) return Bits(expr, op, a, b);
  for (const int one : {a, b}) {
    if (IsNumber(one)) continue;
    wrong_.Error(expr.place, fmt::format("{} is of numbers, and this is {}", where, Name(one)),
                 TypeAt(one).kind == TypeKind::kList ? "take an element: x[0], or max(x), sum(x)"
                                                     : "take a number");
    return Wrong(expr.place);
  }
  // `/` makes a real number of any two.
  if (op != Op::kDivide && !Unify(a, b, where, expr.place)) return Wrong(expr.place);
  Node node{.op = op,
            .type = IsOpen(TypeAt(a).kind) ? TypeAt(b) : TypeAt(a),
            .unit = kNoUnit,
            .place = expr.place,
            .a = {a, b}};
  if (IsAny(a) || IsAny(b)) node.type = {};
  const bool is_product = op == Op::kMultiply || op == Op::kDivide || op == Op::kFloorDivide;
  if (is_product) {
    node.unit = ProductUnit(op, a, b);
  } else if (!Fits(At(a).unit, At(b).unit)) {
    wrong_.Error(
        expr.place,
        fmt::format("{} and {} meet in {}", UnitText(At(a).unit), UnitText(At(b).unit), where),
        Agreement(At(a).unit, At(b).unit));
  } else {
    node.unit = At(a).unit.is_known ? At(a).unit : At(b).unit;
  }
  const bool is_floor = op == Op::kFloorDivide || op == Op::kModulo;
  if (is_floor && node.type.kind == TypeKind::kF64) {
    wrong_.Error(expr.place, fmt::format("{} is of whole numbers", where), "write `/`");
    return Wrong(expr.place);
  }
  if (op == Op::kDivide && !IsAny(a) && !IsAny(b)) node.type = {.kind = TypeKind::kF64};
  return Add(std::move(node));
}

int DeviceChecker::Compare(const Expr& expr) {
  int a = Expression(*expr.a[0]), b = Expression(*expr.a[1]);
  const Op op = OpOf(expr.name);
  if (!Unify(a, b, fmt::format("`{}`", expr.name), expr.place)) return Wrong(expr.place);
  const bool is_order = op != Op::kEqual && op != Op::kNotEqual;
  for (const int one : {a, b}) {
    const TypeKind kind = TypeAt(one).kind;
    const bool can_be =
        IsNumber(one) || (!is_order && kind != TypeKind::kList && kind != TypeKind::kStruct);
    if (can_be) continue;
    wrong_.Error(expr.place, fmt::format("`{}` does not compare {}", expr.name, Name(one)),
                 is_order ? "compare numbers, or write `==`" : "compare an element or a field");
    return Wrong(expr.place);
  }
  if (!Fits(At(a).unit, At(b).unit))
    wrong_.Error(expr.place,
                 fmt::format("{} and {} meet in `{}`", UnitText(At(a).unit), UnitText(At(b).unit),
                             expr.name),
                 Agreement(At(a).unit, At(b).unit));
  return Add({.op = op,
              .type = {.kind = TypeKind::kBool},
              .unit = kNoUnit,
              .place = expr.place,
              .a = {a, b}});
}

int DeviceChecker::IsNone(const Expr& expr) {
  const int value = Expression(*expr.a[0]);
  if (expr.name != "is" && expr.name != "is not") {
    wrong_.Error(expr.place, fmt::format("`{}` does not compare with None", expr.name),
                 "write `is None` or `is not None`");
    return Wrong(expr.place);
  }
  return Add({.op = expr.name == "is" ? Op::kIsNone : Op::kIsNotNone,
              .type = {.kind = TypeKind::kBool},
              .unit = kNoUnit,
              .place = expr.place,
              .a = {value}});
}

int DeviceChecker::Logical(const Expr& expr) {
  const int a = Expression(*expr.a[0]), b = Expression(*expr.a[1]);
  const std::string what = fmt::format("an operand of `{}`", expr.name);
  const bool is_good =
      IsCondition(a, expr.a[0]->place, what) && IsCondition(b, expr.a[1]->place, what);
  if (!is_good) return Wrong(expr.place);
  return Add({.op = expr.name == "and" ? Op::kAnd : Op::kOr,
              .type = {.kind = TypeKind::kBool},
              .unit = kNoUnit,
              .place = expr.place,
              .a = {a, b}});
}

int DeviceChecker::Conditional(const Expr& expr, int value, int condition, int other) {
  if (!IsCondition(condition, expr.a[1]->place, "what stands behind `if`"))
    return Wrong(expr.place);
  if (!Unify(value, other, "`if ... else`", expr.place)) return Wrong(expr.place);
  if (!Fits(At(value).unit, At(other).unit))
    wrong_.Error(expr.place,
                 fmt::format("{} and {} meet in `if ... else`", UnitText(At(value).unit),
                             UnitText(At(other).unit)),
                 Agreement(At(value).unit, At(other).unit));
  const int known = IsOpen(TypeAt(value).kind) ? other : value;
  return Add({.op = Op::kConditional,
              .type = TypeAt(known),
              .unit = At(value).unit.is_known ? At(value).unit : At(other).unit,
              .place = expr.place,
              .a = {value, condition, other}});
}

}  // namespace rankscope::probe
