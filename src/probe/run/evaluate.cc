#include "probe/run/evaluate.h"

#include <algorithm>

#include "base/check.h"

namespace rankscope::probe {
namespace {

template <typename T>
Maybe<T> TakeAs(const Value& value) {
  const T* const held = value.If<T>();
  return held != nullptr ? Maybe<T>(*held) : std::nullopt;
}

template <typename T>
Value Held(Maybe<T> value) {
  if (!value) return {};
  return {*std::move(value)};
}

}  // namespace

template <typename T>
Maybe<T> Evaluator::As(int node) {
  return TakeAs<T>(Of(node));
}

Value Evaluator::Of(int node) { return OfNode(At(node)); }

Value Evaluator::OfBefore(int node) {
  FaultCounts counted_before;
  FaultCounts* const faults = std::exchange(faults_, &counted_before);
  is_before_ = true;
  Value value = Of(node);
  is_before_ = false;
  faults_ = faults;
  return value;
}

const Value* Evaluator::Stored(int index) const {
  const Node& node = At(index);
  const auto ref = static_cast<std::size_t>(node.ref);
  if (node.op == Op::kSource) return &(is_before_ ? samples_.before : samples_.now)[ref].value;
  if (node.op == Op::kNamed) {
    const auto* const names = is_before_ ? names_before_ : names_now_;
    return names == nullptr ? nullptr : &(*names)[ref];
  }
  if (node.op != Op::kField) return nullptr;
  const Value* const of = Stored(node.a[0]);
  const auto* const fields = of == nullptr ? nullptr : of->If<std::vector<Value>>();
  return fields == nullptr ? nullptr : &(*fields)[ref];
}

Value Evaluator::Named(const Node& node) {
  const auto& names = is_before_ ? names_before_ : names_now_;
  // Arguments of calls are asked for before names have values.
  if (names == nullptr) return Of(device_.names[static_cast<std::size_t>(node.ref)].node);
  return (*names)[static_cast<std::size_t>(node.ref)];
}

Value Evaluator::OfNode(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return node.constant;
    case Op::kAbsent:
      return {};
    case Op::kIndex:
      return {index_};
    case Op::kLoop:
      return {loop_};
    case Op::kSource:
      return (is_before_ ? samples_.before : samples_.now)[static_cast<std::size_t>(node.ref)]
          .value;
    case Op::kNamed:
      return Named(node);
    case Op::kIsNone:
      return {Of(node.a[0]).is_absent()};
    case Op::kIsNotNone:
      return {!Of(node.a[0]).is_absent()};
    case Op::kNot:
      return Held(Not(As<bool>(node.a[0])));
    case Op::kAnd:
      return Held(And(As<bool>(node.a[0]), As<bool>(node.a[1])));
    case Op::kOr:
      return Held(Or(As<bool>(node.a[0]), As<bool>(node.a[1])));
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return Condition(node);
    case Op::kEqual:
    case Op::kNotEqual:
      return Equality(node);
    case Op::kConditional:
    case Op::kOrElse:
      return Choice(node);
    case Op::kList:
    case Op::kComprehension:
      return ListOf(node);
    case Op::kElement:
      return Element(node);
    case Op::kField: {
      const Value* const stored = Stored(node.a[0]);
      const Value computed = stored == nullptr ? Of(node.a[0]) : Value{};
      const auto* const fields = (stored == nullptr ? computed : *stored).If<std::vector<Value>>();
      return fields == nullptr ? Value{} : (*fields)[static_cast<std::size_t>(node.ref)];
    }
    case Op::kMinOf:
    case Op::kMaxOf:
    case Op::kSumOf:
      return Folded(node);
    case Op::kToI64:
    case Op::kToU64:
    case Op::kToF64:
      return Converted(node);
    case Op::kDelta:
    case Op::kRate:
      return Change(node);
    default:
      return Operation(node);
  }
}

Value Evaluator::Operation(const Node& node) {
  // `/` makes a real number of any two.
  if (node.op == Op::kDivide) {
    const auto real = [](const Value& value) -> Maybe<double> {
      if (const auto* whole = value.If<std::int64_t>()) return static_cast<double>(*whole);
      if (const auto* natural = value.If<std::uint64_t>()) return static_cast<double>(*natural);
      return TakeAs<double>(value);
    };
    return Held(Divide(real(Of(node.a[0])), real(Of(node.a[1])), *faults_));
  }
  if (node.type.kind == TypeKind::kI64) return Arithmetic<std::int64_t>(node);
  if (node.type.kind == TypeKind::kU64) return Arithmetic<std::uint64_t>(node);
  if (node.type.kind == TypeKind::kF64) return Arithmetic<double>(node);
  return {};  // of absent alone
}

template <typename T>
Value Evaluator::Arithmetic(const Node& node) {
  const Maybe<T> a = As<T>(node.a[0]);
  if (node.op == Op::kNegate) return Held(Negate<T>(a, *faults_));
  if (node.op == Op::kAbs) return Held(Absolute<T>(a, *faults_));
  if (node.op == Op::kBound) {
    const Bounds& bounds = device_.bounds[static_cast<std::size_t>(node.ref)];
    return Held(Bounded<T>(a, bounds.least, bounds.most, *faults_));
  }
  if (node.op == Op::kMin || node.op == Op::kMax) {
    Maybe<T> chosen = a;
    for (std::size_t i = 1; i < node.a.size(); ++i) {
      const Maybe<T> other = As<T>(node.a[i]);
      chosen = node.op == Op::kMin ? Least<T>(chosen, other) : Most<T>(chosen, other);
    }
    return Held(chosen);
  }
  if constexpr (std::same_as<T, std::uint64_t>) {
    if (node.op == Op::kInvert) return Held(Invert(a));
  }
  const Maybe<T> b = As<T>(node.a[1]);
  if (node.op == Op::kAdd) return Held(Add<T>(a, b, *faults_));
  if (node.op == Op::kSubtract) return Held(Subtract<T>(a, b, *faults_));
  if (node.op == Op::kMultiply) return Held(Multiply<T>(a, b, *faults_));
  if constexpr (std::integral<T>) {
    if (node.op == Op::kFloorDivide) return Held(FloorDivide<T>(a, b, *faults_));
    if (node.op == Op::kModulo) return Held(Modulo<T>(a, b, *faults_));
  }
  if constexpr (std::same_as<T, std::uint64_t>) {
    if (node.op == Op::kBitAnd) return Held(BitAnd(a, b));
    if (node.op == Op::kBitOr) return Held(BitOr(a, b));
    if (node.op == Op::kBitXor) return Held(BitXor(a, b));
    if (node.op == Op::kShiftLeft) return Held(ShiftLeft(a, b, *faults_));
    if (node.op == Op::kShiftRight) return Held(ShiftRight(a, b));
  }
  RS_CHECK(false, "an operation without a meaning for its type");
}

Value Evaluator::Condition(const Node& node) {
  TypeKind kind = At(node.a[0]).type.kind;
  if (kind == TypeKind::kAbsent) kind = At(node.a[1]).type.kind;
  if (kind == TypeKind::kI64) return Ordered<std::int64_t>(node);
  if (kind == TypeKind::kU64) return Ordered<std::uint64_t>(node);
  if (kind == TypeKind::kF64) return Ordered<double>(node);
  return {};
}

template <typename T>
Value Evaluator::Ordered(const Node& node) {
  const Maybe<T> a = As<T>(node.a[0]), b = As<T>(node.a[1]);
  if (node.op == Op::kLess) return Held(Compare<T>(a, b, std::less<>()));
  if (node.op == Op::kLessEqual) return Held(Compare<T>(a, b, std::less_equal<>()));
  if (node.op == Op::kGreater) return Held(Compare<T>(a, b, std::greater<>()));
  return Held(Compare<T>(a, b, std::greater_equal<>()));
}

Value Evaluator::Equality(const Node& node) {
  const Value a = Of(node.a[0]), b = Of(node.a[1]);
  if (a.is_absent() || b.is_absent()) return {};
  return {(a == b) == (node.op == Op::kEqual)};
}

Value Evaluator::Choice(const Node& node) {
  if (node.op == Op::kOrElse) {
    Value value = Of(node.a[0]);
    return value.is_absent() ? Of(node.a[1]) : value;
  }
  const Maybe<bool> condition = As<bool>(node.a[1]);
  if (!condition) return {};
  return Of(node.a[*condition ? 0 : 2]);
}

Value Evaluator::ListOf(const Node& node) {
  std::vector<Value> items;
  if (node.op == Op::kList) {
    for (const int one : node.a) items.push_back(Of(one));
  } else {
    for (int turn = 0; turn < node.type.count; ++turn) {
      loop_ = node.ref + turn;
      items.push_back(Of(node.a[0]));
    }
  }
  return {std::move(items)};
}

Value Evaluator::Element(const Node& node) {
  const Value* const stored = Stored(node.a[0]);
  const Value computed = stored == nullptr ? Of(node.a[0]) : Value{};
  const Value number = Of(node.a[1]);
  const auto* const items = (stored == nullptr ? computed : *stored).If<std::vector<Value>>();
  if (items == nullptr || number.is_absent()) return {};
  std::uint64_t index = items->size();
  if (const auto* whole = number.If<std::int64_t>(); whole != nullptr && *whole >= 0)
    index = static_cast<std::uint64_t>(*whole);
  if (const auto* natural = number.If<std::uint64_t>()) index = *natural;
  if (index < items->size()) return (*items)[index];
  faults_->Count(Fault::kElement);
  return {};
}

Value Evaluator::Folded(const Node& node) {
  const Value* const stored = Stored(node.a[0]);
  const Value computed = stored == nullptr ? Of(node.a[0]) : Value{};
  const auto* const items = (stored == nullptr ? computed : *stored).If<std::vector<Value>>();
  if (items == nullptr) return {};
  if (node.type.kind == TypeKind::kI64) return FoldedAs<std::int64_t>(node, *items);
  if (node.type.kind == TypeKind::kU64) return FoldedAs<std::uint64_t>(node, *items);
  return FoldedAs<double>(node, *items);
}

template <typename T>
Value Evaluator::FoldedAs(const Node& node, const std::vector<Value>& items) {
  Maybe<T> folded = TakeAs<T>(items[0]);
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Maybe<T> item = TakeAs<T>(items[i]);
    folded = node.op == Op::kMinOf   ? Least<T>(folded, item)
             : node.op == Op::kMaxOf ? Most<T>(folded, item)
                                     : Add<T>(folded, item, *faults_);
  }
  return Held(folded);
}

Value Evaluator::Converted(const Node& node) {
  const Value value = Of(node.a[0]);
  const auto convert = [&]<typename From>(Maybe<From> from) -> Value {
    if (node.op == Op::kToI64) return Held(Convert<std::int64_t>(from, *faults_));
    if (node.op == Op::kToU64) return Held(Convert<std::uint64_t>(from, *faults_));
    return Held(Convert<double>(from, *faults_));
  };
  if (const auto* whole = value.If<std::int64_t>()) return convert(Maybe<std::int64_t>(*whole));
  if (const auto* natural = value.If<std::uint64_t>())
    return convert(Maybe<std::uint64_t>(*natural));
  if (const auto* real = value.If<double>()) return convert(Maybe<double>(*real));
  if (const auto* flag = value.If<bool>()) return convert(Maybe<bool>(*flag));
  return {};
}

Value Evaluator::Change(const Node& node) {
  const TypeKind kind = At(node.a[0]).type.kind;
  if (kind == TypeKind::kI64) return ChangeAs<std::int64_t>(node);
  if (kind == TypeKind::kU64) return ChangeAs<std::uint64_t>(node);
  return ChangeAs<double>(node);
}

template <typename T>
Value Evaluator::ChangeAs(const Node& node) {
  const Maybe<T> now = As<T>(node.a[0]);
  const Maybe<T> before = TakeAs<T>(OfBefore(node.a[0]));
  if (node.op == Op::kDelta) return Held(Delta<T>(now, before, node.ref, *faults_));
  // All sources below share their schedule.
  const std::size_t source = static_cast<std::size_t>(node.source);
  const std::int64_t elapsed = samples_.now[source].time_ns - samples_.before[source].time_ns;
  return Held(Rate<T>(now, before, node.ref, elapsed, *faults_));
}

}  // namespace rankscope::probe
