// Lists, their elements, and fields of structs.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

bool CanBeItem(TypeKind kind) {
  return kind == TypeKind::kI64 || kind == TypeKind::kU64 || kind == TypeKind::kF64 ||
         kind == TypeKind::kBool;
}

}  // namespace

int DeviceChecker::List(const Expr& expr) {
  if (expr.a.empty() || expr.a.size() > kMostItems) {
    wrong_.Error(expr.place, fmt::format("a list has 1 to {} elements", kMostItems),
                 "write [a, b] or [x[i] for i in range(8)]");
    return Wrong(expr.place);
  }
  std::vector<int> items;
  for (const Expr* one : expr.a) items.push_back(Expression(*one));
  if (std::ranges::any_of(items, [&](int one) { return IsAny(one); })) return Wrong(expr.place);
  for (int& item : items) {
    if (!Unify(items[0], item, "a list", expr.place)) return Wrong(expr.place);
    if (!Fits(At(items[0]).unit, At(item).unit))
      wrong_.Error(expr.place,
                   fmt::format("{} and {} meet in a list", UnitText(At(items[0]).unit),
                               UnitText(At(item).unit)),
                   Agreement(At(items[0]).unit, At(item).unit));
  }
  // Literals may have become reals by a later one.
  for (int& item : items)
    if (!Unify(items[0], item, "a list", expr.place)) return Wrong(expr.place);
  const auto known =
      std::ranges::find_if(items, [&](int one) { return TypeAt(one).kind != TypeKind::kAbsent; });
  const Type item = known == items.end() ? Type{} : TypeAt(*known);
  if (!CanBeItem(item.kind)) {
    wrong_.Error(expr.place,
                 fmt::format("a list has numbers or conditions, and this is {}", Name(*known)),
                 "give each a name of its own");
    return Wrong(expr.place);
  }
  Node node;
  node.op = Op::kList;
  node.type = {.kind = TypeKind::kList,
               .of = -1,
               .item = item.kind,
               .count = static_cast<int>(items.size())};
  node.unit = known == items.end() ? kNoUnit : At(*known).unit;
  node.place = expr.place;
  node.a = std::move(items);
  return Add(std::move(node));
}

bool DeviceChecker::ReadRange(const Expr& expr, int& begin, int& count) {
  if (!IsFunction(expr, "range")) {
    wrong_.Error(expr.place, "a `for` goes through a range", "write `for i in range(8)`");
    return false;
  }
  const Call call = CallOf(expr);
  if (!CheckCall(call, 1, 2, {})) return false;
  const auto first = call.values.size() == 1
                         ? std::optional<std::int64_t>(0)
                         : WholeOf(*call.values[0], "the begin of a range", 0, kMostItems);
  const auto end = WholeOf(*call.values.back(), "the end of a range", 1, kMostItems);
  if (!first || !end) return false;
  if (*end <= *first) {
    wrong_.Error(expr.place, "this range is empty", "its end is to lie behind its begin");
    return false;
  }
  begin = static_cast<int>(*first);
  count = static_cast<int>(*end - *first);
  return true;
}

int DeviceChecker::Comprehension(const Expr& expr) {
  if (loop_) {
    wrong_.Error(expr.place, "a `for` stands within a `for`", "give the inner list a name");
    return Wrong(expr.place);
  }
  Loop loop{.name = expr.name};
  if (!ReadRange(*expr.a[1], loop.begin, loop.count)) return Wrong(expr.place);
  if (symbols_.contains(expr.name) || IsBuiltIn(expr.name)) {
    wrong_.Error(expr.place, fmt::format("`{}` has a value already", expr.name),
                 "take another name for the loop");
    return Wrong(expr.place);
  }
  loop_ = loop;
  const int item = Expression(*expr.a[0]);
  loop_.reset();
  if (IsAny(item)) return Wrong(expr.place);
  if (!CanBeItem(TypeAt(item).kind)) {
    wrong_.Error(expr.place,
                 fmt::format("a list has numbers or conditions, and this is {}", Name(item)),
                 "give each a name of its own");
    return Wrong(expr.place);
  }
  Node node;
  node.op = Op::kComprehension;
  node.type = {.kind = TypeKind::kList, .of = -1, .item = TypeAt(item).kind, .count = loop.count};
  node.unit = At(item).unit;
  node.place = expr.place;
  node.a = {item};
  node.ref = loop.begin;
  return Add(std::move(node));
}

int DeviceChecker::Subscript(const Expr& expr) {
  const int list = Expression(*expr.a[0]);
  const int number = Expression(*expr.a[1]);
  if (IsAny(list) || IsAny(number)) return Wrong(expr.place);
  const Type type = TypeAt(list);
  if (type.kind != TypeKind::kList) {
    wrong_.Error(expr.place, fmt::format("{} has no elements", Name(list)), "take it as it is");
    return Wrong(expr.place);
  }
  const TypeKind kind = TypeAt(number).kind;
  if (kind != TypeKind::kI64 && kind != TypeKind::kU64) {
    wrong_.Error(expr.a[1]->place,
                 fmt::format("an element has a whole number, and this is {}", Name(number)),
                 "write x[0]");
    return Wrong(expr.place);
  }
  std::int64_t least = 0, most = 0;
  if (const auto* whole = At(number).constant.If<std::int64_t>()) least = most = *whole;
  if (At(number).op == Op::kLoop) {
    least = loop_->begin;
    most = loop_->begin + loop_->count - 1;
  }
  if (least < 0 || most >= type.count) {
    wrong_.Error(expr.a[1]->place,
                 fmt::format("this list has {} elements, and {} is asked for", type.count,
                             least < 0 ? least : most),
                 fmt::format("they are 0 to {}", type.count - 1));
    return Wrong(expr.place);
  }
  Node node;
  node.op = Op::kElement;
  node.type = {.kind = type.item, .of = type.of};
  node.unit = At(list).unit;
  node.place = expr.place;
  node.a = {list, number};
  return Add(std::move(node));
}

int DeviceChecker::Attribute(const Expr& expr) {
  const int of = Expression(*expr.a[0]);
  if (IsAny(of)) return Wrong(expr.place);
  if (TypeAt(of).kind != TypeKind::kStruct) {
    wrong_.Error(expr.place, fmt::format("{} has no fields", Name(of)), "take it as it is");
    return Wrong(expr.place);
  }
  const StructDef& type = made_.structs[static_cast<std::size_t>(TypeAt(of).of)];
  const auto field = std::ranges::find(type.fields, expr.name, &StructDef::Field::name);
  if (field == type.fields.end()) {
    std::vector<std::string> names;
    for (const StructDef::Field& one : type.fields) names.push_back(one.name);
    const std::string_view nearest = NearestName(expr.name, names);
    wrong_.Error(expr.place, fmt::format("struct {} has no field `{}`", type.name, expr.name),
                 nearest.empty() ? fmt::format("its fields are {}", fmt::join(names, ", "))
                                 : fmt::format("did you mean `{}`?", nearest));
    return Wrong(expr.place);
  }
  Node node;
  node.op = Op::kField;
  node.type = TypeOf(field->layout);
  node.place = expr.place;
  node.a = {of};
  node.ref = static_cast<int>(field - type.fields.begin());
  return Add(std::move(node));
}

}  // namespace rankscope::probe
