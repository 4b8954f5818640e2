#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {

int DeviceChecker::Function(const Expr& expr) {
  if (expr.a[0]->kind == ExprKind::kAttribute) return CallSource(expr);
  if (expr.a[0]->kind != ExprKind::kName) {
    wrong_.Error(expr.place, "this cannot be called", "call a function by its name");
    return Wrong(expr.place);
  }
  const Call call = CallOf(expr);
  const std::string_view name = call.name;
  if (name == "file" || name == "text") return FileSource(expr, call);
  if (name == "monotonic_ns") return ClockSource(expr);
  if (name == "min" || name == "max" || name == "sum") return Least(call);
  if (name == "abs") return Absolute(call);
  if (name == "or_else") return OrElse(call);
  if (name == "i64") return Convert(call, Op::kToI64, TypeKind::kI64);
  if (name == "u64") return Convert(call, Op::kToU64, TypeKind::kU64);
  if (name == "f64") return Convert(call, Op::kToF64, TypeKind::kF64);
  if (name == "delta") return Change(call, Op::kDelta);
  if (name == "rate") return Change(call, Op::kRate);
  if (name == "gauge" || name == "counter") {
    wrong_.Error(call.place, fmt::format("{}() stands within an expression", name),
                 "it is the whole value of a metric: temperature = gauge(...)");
  } else if (name == "library" || name == "struct" || name == "enum") {
    wrong_.Error(call.place, fmt::format("{}() stands within an expression", name),
                 "give it a name in a line of its own");
  } else if (IsBuiltIn(name)) {
    wrong_.Error(call.place, fmt::format("{}() stands where a value is expected", name),
                 "docs/probes.md says where it stands");
  } else if (symbols_.contains(name)) {
    symbols_.at(name).is_used = true;
    wrong_.Error(call.place, fmt::format("`{}` is no function", name), "leave the parentheses out");
  } else {
    const std::string_view nearest = NearestName(name, BuiltInNames());
    wrong_.Error(call.place, fmt::format("there is no function `{}`", name),
                 nearest.empty() ? std::string("docs/probes.md has all functions")
                                 : fmt::format("did you mean `{}`?", nearest));
  }
  return Wrong(expr.place);
}

int DeviceChecker::OfList(const Call& call, Op op) {
  const int list = Expression(*call.values[0]);
  if (IsAny(list)) return Wrong(call.place);
  const Type type = TypeAt(list);
  const bool has_numbers =
      type.kind == TypeKind::kList &&
      (type.item == TypeKind::kI64 || type.item == TypeKind::kU64 || type.item == TypeKind::kF64);
  if (!has_numbers) {
    wrong_.Error(call.values[0]->place,
                 fmt::format("`{}` is of a list of numbers, and this is {}", call.name, Name(list)),
                 call.name == "sum" ? "write a + b" : fmt::format("write {}(a, b)", call.name));
    return Wrong(call.place);
  }
  const Op of_list = op == Op::kMin ? Op::kMinOf : op == Op::kMax ? Op::kMaxOf : Op::kSumOf;
  Node node;
  node.op = of_list;
  node.type = {.kind = type.item};
  node.unit = At(list).unit;
  node.place = call.place;
  node.a = {list};
  return Add(std::move(node));
}

int DeviceChecker::Least(const Call& call) {
  const Op op = call.name == "min" ? Op::kMin : call.name == "max" ? Op::kMax : Op::kSum;
  if (!CheckCall(call, 1, op == Op::kSum ? 1 : kMostItems, {})) return Wrong(call.place);
  if (call.values.size() == 1) return OfList(call, op);
  Node node;
  node.op = op;
  node.place = call.place;
  for (const Expr* one : call.values) {
    const int operand = Expression(*one);
    if (IsAny(operand)) return Wrong(call.place);
    if (!IsNumber(operand)) {
      wrong_.Error(one->place,
                   fmt::format("`{}` is of numbers, and this is {}", call.name, Name(operand)),
                   "take a number");
      return Wrong(call.place);
    }
    node.a.push_back(operand);
  }
  // Twice: a literal may have become a real by a later operand.
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t i = 1; i < node.a.size(); ++i) {
      if (!Unify(node.a[0], node.a[i], fmt::format("`{}`", call.name), call.place))
        return Wrong(call.place);
      if (!Fits(At(node.a[0]).unit, At(node.a[i]).unit)) {
        wrong_.Error(call.place,
                     fmt::format("{} and {} meet in `{}`", UnitText(At(node.a[0]).unit),
                                 UnitText(At(node.a[i]).unit), call.name),
                     Agreement(At(node.a[0]).unit, At(node.a[i]).unit));
        return Wrong(call.place);
      }
    }
  for (const int one : node.a) {
    if (TypeAt(one).kind != TypeKind::kAbsent) node.type = TypeAt(one);
    if (At(one).unit.is_known) node.unit = At(one).unit;
  }
  if (node.type.kind == TypeKind::kAny) node.type = {.kind = TypeKind::kAbsent};
  return Add(std::move(node));
}

int DeviceChecker::Absolute(const Call& call) {
  if (!CheckCall(call, 1, 1, {})) return Wrong(call.place);
  const int operand = Expression(*call.values[0]);
  if (!IsNumber(operand)) {
    wrong_.Error(call.values[0]->place,
                 fmt::format("`abs` is of numbers, and this is {}", Name(operand)),
                 "take a number");
    return Wrong(call.place);
  }
  Node node;
  node.op = Op::kAbs;
  node.type = TypeAt(operand);
  node.unit = At(operand).unit;
  node.place = call.place;
  node.a = {operand};
  return Add(std::move(node));
}

int DeviceChecker::OrElse(const Call& call) {
  if (!CheckCall(call, 2, 2, {})) return Wrong(call.place);
  int value = Expression(*call.values[0]), other = Expression(*call.values[1]);
  if (!Unify(value, other, "`or_else`", call.place)) return Wrong(call.place);
  if (!Fits(At(value).unit, At(other).unit))
    wrong_.Error(call.place,
                 fmt::format("{} and {} meet in `or_else`", UnitText(At(value).unit),
                             UnitText(At(other).unit)),
                 Agreement(At(value).unit, At(other).unit));
  Node node;
  node.op = Op::kOrElse;
  node.type = TypeAt(value).kind == TypeKind::kAbsent ? TypeAt(other) : TypeAt(value);
  node.unit = At(value).unit.is_known ? At(value).unit : At(other).unit;
  node.place = call.place;
  node.a = {value, other};
  return Add(std::move(node));
}

int DeviceChecker::Convert(const Call& call, Op op, TypeKind to) {
  if (!CheckCall(call, 1, 1, {})) return Wrong(call.place);
  const int operand = Expression(*call.values[0]);
  const TypeKind kind = TypeAt(operand).kind;
  const bool is_whole = kind == TypeKind::kEnum || kind == TypeKind::kBool;
  if (!IsNumber(operand) && !(is_whole && op != Op::kToF64)) {
    wrong_.Error(call.values[0]->place, fmt::format("{} is no number", Name(operand)),
                 "take a number");
    return Wrong(call.place);
  }
  Node node;
  node.op = op;
  node.type = {.kind = to};
  node.unit = At(operand).unit;
  node.place = call.place;
  node.a = {operand};
  return Add(std::move(node));
}

int DeviceChecker::Change(const Call& call, Op op) {
  if (!CheckCall(call, 1, 1, {"wrap"})) return Wrong(call.place);
  const int operand = Expression(*call.values[0]);
  if (IsAny(operand)) return Wrong(call.place);
  const TypeKind kind = TypeAt(operand).kind;
  if (kind != TypeKind::kI64 && kind != TypeKind::kU64 && kind != TypeKind::kF64) {
    wrong_.Error(
        call.values[0]->place,
        fmt::format("`{}` is of a number, and this is {}", call.name, Name(operand)),
        kind == TypeKind::kList ? "write [delta(x[i]) for i in range(8)]" : "take a number");
    return Wrong(call.place);
  }
  if (facts_[static_cast<std::size_t>(operand)].has_delta) {
    wrong_.Error(call.values[0]->place, "a change of a change is asked for",
                 "take the counter itself");
    return Wrong(call.place);
  }
  const std::vector<int> sources = SourcesOf(made_, operand);
  if (sources.empty()) {
    wrong_.Error(call.values[0]->place, "this never changes: it has no source",
                 "take a file or a call");
    return Wrong(call.place);
  }
  Node node;
  node.op = op;
  node.type = {.kind = op == Op::kRate ? TypeKind::kF64 : kind};
  node.unit = op == Op::kRate ? Over(At(operand).unit, *FindUnit("seconds")) : At(operand).unit;
  node.place = call.place;
  node.a = {operand};
  node.source = sources.front();
  if (const Keyword* wrap = call.Find("wrap")) {
    const auto bits = WholeOf(*wrap->value, "`wrap`", 8, 64);
    if (!bits) return Wrong(call.place);
    if (kind != TypeKind::kU64) {
      wrong_.Error(wrap->place, fmt::format("`wrap` is of u64, and this is {}", Name(operand)),
                   "declare the source as u64 or u32");
      return Wrong(call.place);
    }
    node.ref = static_cast<int>(*bits);
  }
  return Add(std::move(node));
}

}  // namespace rankscope::probe
