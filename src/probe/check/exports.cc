// Metrics: the standard ones by their list, and the specification's own.
#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

std::string_view WrapperOf(MetricKind kind) {
  return kind == MetricKind::kCounter ? "counter" : "gauge";
}

bool IsNumeric(MetricKind kind) {
  return kind == MetricKind::kGauge || kind == MetricKind::kCounter;
}

}  // namespace

void DeviceChecker::CheckExport(const Assignment& one) {
  const StandardMetric* const standard = FindStandard(one.name);
  Export made;
  made.name = one.name;
  made.place = one.place;
  made.unit = standard != nullptr && IsNumeric(standard->kind) ? std::string(standard->unit) : "";
  made.kind = standard != nullptr ? standard->kind : MetricKind::kText;
  if (standard != nullptr) made.help = standard->about;
  const int node = ExportValue(*one.value, made, standard);
  if (IsAny(node)) return;
  made_.names.push_back({std::string(one.name), one.place, node});
  const int name = static_cast<int>(made_.names.size()) - 1;
  Declare(one, SymbolKind::kValue, name);
  made.named = name;
  made.node = node;
  made.type = TypeAt(node);
  made_.exports.push_back(std::move(made));
}

// gauge() and counter() stand at the top, or in the branches of a condition there.
int DeviceChecker::ExportValue(const Expr& expr, Export& made, const StandardMetric* standard) {
  if (expr.kind == ExprKind::kConditional) {
    const int value = ExportValue(*expr.a[0], made, standard);
    const int condition = Expression(*expr.a[1]);
    const int other = ExportValue(*expr.a[2], made, standard);
    if (IsAny(value) || IsAny(other)) return Wrong(expr.place);
    return Conditional(expr, value, condition, other);
  }
  if (IsFunction(expr, "gauge") || IsFunction(expr, "counter"))
    return Wrapped(expr, made, standard);
  const int node = Expression(expr);
  if (IsAny(node) || TypeAt(node).kind == TypeKind::kAbsent) return node;
  return CheckPlainExport(node, expr, made, standard) ? node : Wrong(expr.place);
}

bool DeviceChecker::ReadExportUnit(const Call& call, Export& made, const StandardMetric* standard,
                                   Unit& unit) {
  const Keyword* const given = call.Find("unit");
  if (given == nullptr) {
    wrong_.Error(call.place, fmt::format("`{}` has no unit", made.name),
                 standard != nullptr ? fmt::format("add unit={}", standard->unit)
                                     : std::string("add unit=, such as unit=none"));
    return false;
  }
  std::string name;
  if (!ReadUnit(*given->value, unit, name)) return false;
  if (standard == nullptr && !made.unit.empty() && made.unit != name) {
    wrong_.Error(given->value->place,
                 fmt::format("`{}` has two units, {} and {}", made.name, made.unit, name),
                 "take one");
    return false;
  }
  if (standard == nullptr) made.unit = name;
  if (standard == nullptr || unit == *FindUnit(standard->unit)) return true;
  wrong_.Error(given->value->place,
               fmt::format("`{}` is in {}, everywhere", made.name, standard->unit),
               "convert the value, and write that unit");
  return false;
}

int DeviceChecker::Wrapped(const Expr& expr, Export& made, const StandardMetric* standard) {
  const Call call = CallOf(expr);
  const bool is_gauge = call.name == "gauge";
  const MetricKind kind = is_gauge ? MetricKind::kGauge : MetricKind::kCounter;
  if (!CheckCall(call, 1, 1,
                 is_gauge ? std::vector<std::string>{"unit", "lo", "hi", "help"}
                          : std::vector<std::string>{"unit", "help"}))
    return Wrong(expr.place);
  if (standard != nullptr && standard->kind != kind) {
    wrong_.Error(call.place, fmt::format("`{}` is no {}", made.name, call.name),
                 IsNumeric(standard->kind) ? fmt::format("write {}(...)", WrapperOf(standard->kind))
                                           : "write its value alone");
    return Wrong(expr.place);
  }
  made.kind = kind;
  const int value = Expression(*call.values[0]);
  Unit unit;
  if (!ReadExportUnit(call, made, standard, unit) || IsAny(value)) return Wrong(expr.place);
  if (!IsNumber(value)) {
    wrong_.Error(call.values[0]->place,
                 fmt::format("`{}` is of a number, and this is {}", call.name, Name(value)),
                 "take a number, or write a condition or text alone");
    return Wrong(expr.place);
  }
  if (!Fits(At(value).unit, unit)) {
    wrong_.Error(call.values[0]->place,
                 fmt::format("this is in {}, and `{}` is in {}", UnitText(At(value).unit),
                             made.name, made.unit),
                 Conversion(At(value).unit, unit));
    return Wrong(expr.place);
  }
  if (const Keyword* help = call.Find("help"))
    made.help = TextOf(*help->value, "`help`").value_or("");
  Bounds bounds;
  if (const Keyword* lo = call.Find("lo")) bounds.least = NumberOf(*lo->value, "`lo`");
  if (const Keyword* hi = call.Find("hi")) bounds.most = NumberOf(*hi->value, "`hi`");
  if (bounds.least && bounds.most && *bounds.least > *bounds.most)
    wrong_.Error(call.Find("lo")->place, "`lo` is above `hi`", "swap them");
  made_.bounds.push_back(bounds);
  Node node;
  node.op = Op::kBound;
  node.type = TypeAt(value);
  node.unit = unit;
  node.place = expr.place;
  node.a = {value};
  node.ref = static_cast<int>(made_.bounds.size()) - 1;
  return Add(std::move(node));
}

bool DeviceChecker::CheckPlainExport(int node, const Expr& expr, Export& made,
                                     const StandardMetric* standard) {
  const TypeKind kind = TypeAt(node).kind;
  const bool is_number = IsNumber(node);
  if (standard == nullptr && is_number) {
    wrong_.Error(expr.place, fmt::format("`{}` is a number without a unit", made.name),
                 "write gauge(value, unit=...) or counter(value, unit=...)");
    return false;
  }
  if (standard == nullptr) {
    made.kind = kind == TypeKind::kBool   ? MetricKind::kFlag
                : kind == TypeKind::kEnum ? MetricKind::kState
                                          : MetricKind::kText;
    if (kind == TypeKind::kBool || kind == TypeKind::kEnum || kind == TypeKind::kStr) return true;
    wrong_.Error(expr.place,
                 fmt::format("a metric is a number, a condition, an enum or a text, and this is {}",
                             Name(node)),
                 "take an element or a field");
    return false;
  }
  if (IsNumeric(standard->kind)) {
    wrong_.Error(
        expr.place, fmt::format("`{}` is a {}", made.name, WrapperOf(standard->kind)),
        fmt::format("write {}(value, unit={})", WrapperOf(standard->kind), standard->unit));
    return false;
  }
  const TypeKind needed = standard->kind == MetricKind::kFlag ? TypeKind::kBool : TypeKind::kStr;
  if (kind != needed) {
    wrong_.Error(expr.place,
                 fmt::format("`{}` is a {}, and this is {}", made.name,
                             needed == TypeKind::kBool ? "condition" : "text", Name(node)),
                 needed == TypeKind::kBool ? "compare it: x != 0"
                                           : "write texts: \"ok\" if x == 0 else \"failed\"");
    return false;
  }
  if (standard->kind != MetricKind::kState || HasHealthWords(node)) return true;
  wrong_.Error(expr.place,
               fmt::format("`{}` is one of {}", made.name, fmt::join(HealthWords(), ", ")),
               "write \"ok\" if condition else \"failed\"");
  return false;
}

bool DeviceChecker::HasHealthWords(int node) {
  const Node& one = At(node);
  if (one.op == Op::kAbsent) return true;
  if (one.op == Op::kNamed)
    return HasHealthWords(made_.names[static_cast<std::size_t>(one.ref)].node);
  if (one.op == Op::kConditional) return HasHealthWords(one.a[0]) && HasHealthWords(one.a[2]);
  if (one.op == Op::kOrElse) return HasHealthWords(one.a[0]) && HasHealthWords(one.a[1]);
  const std::string* const word = one.constant.If<std::string>();
  return word != nullptr && std::ranges::count(HealthWords(), *word) > 0;
}

}  // namespace rankscope::probe
