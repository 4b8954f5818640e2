#include "probe/compile/emit.h"

#include <fmt/format.h>

#include "base/check.h"
#include "probe/compile/cpp.h"

namespace rankscope::probe {
namespace {

constexpr Type kCondition{.kind = TypeKind::kBool};

std::string_view FunctionOf(Op op) {
  switch (op) {
    case Op::kNegate:
      return "Negate";
    case Op::kInvert:
      return "Invert";
    case Op::kAdd:
      return "Add";
    case Op::kSubtract:
      return "Subtract";
    case Op::kMultiply:
      return "Multiply";
    case Op::kFloorDivide:
      return "FloorDivide";
    case Op::kModulo:
      return "Modulo";
    case Op::kBitAnd:
      return "BitAnd";
    case Op::kBitOr:
      return "BitOr";
    case Op::kBitXor:
      return "BitXor";
    case Op::kShiftLeft:
      return "ShiftLeft";
    case Op::kShiftRight:
      return "ShiftRight";
    case Op::kAbs:
      return "Absolute";
    case Op::kLess:
      return "less";
    case Op::kLessEqual:
      return "less_equal";
    case Op::kGreater:
      return "greater";
    case Op::kGreaterEqual:
      return "greater_equal";
    case Op::kEqual:
      return "equal_to";
    case Op::kNotEqual:
      return "not_equal_to";
    default:
      return "";
  }
}

bool IsOfBits(Op op) { return op == Op::kInvert || (op >= Op::kBitAnd && op <= Op::kShiftRight); }

}  // namespace

std::string Emitter::As(int node, const Type& type) {
  return At(node).type.kind == TypeKind::kAbsent ? HeldTypeOf(type) + "()" : Of(node);
}

std::string Emitter::OfBefore(int node) {
  is_before_ = true;
  std::string text = Of(node);
  is_before_ = false;
  return text;
}

std::string Emitter::Of(int index) {
  const Node& node = At(index);
  if (node.type.kind == TypeKind::kAbsent) return HeldTypeOf(node.type) + "()";
  switch (node.op) {
    case Op::kConstant:
      return fmt::format("probe::Known({})", LiteralOf(node.constant));
    case Op::kIndex:
      return "probe::Known(index)";
    case Op::kLoop:
      return "probe::Known(turn)";
    case Op::kSource:
      return Source(node);
    case Op::kNamed: {
      const std::string name = NameOf(device_.names[static_cast<std::size_t>(node.ref)].name);
      if (names_ == NamesAre::kLocals) return name;
      return (is_before_ ? "before." : "now.") + name;
    }
    case Op::kNot:
      return fmt::format("probe::Not({})", As(node.a[0], kCondition));
    case Op::kAnd:
      return fmt::format("probe::And({}, {})", As(node.a[0], kCondition),
                         As(node.a[1], kCondition));
    case Op::kOr:
      return fmt::format("probe::Or({}, {})", As(node.a[0], kCondition), As(node.a[1], kCondition));
    case Op::kIsNone:
      return fmt::format("probe::IsNone({})", Of(node.a[0]));
    case Op::kIsNotNone:
      return fmt::format("probe::Not(probe::IsNone({}))", Of(node.a[0]));
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kEqual:
    case Op::kNotEqual:
      return Comparison(node);
    case Op::kConditional:
    case Op::kOrElse:
      return Choice(node);
    case Op::kList:
    case Op::kComprehension:
      return ListOf(node);
    case Op::kElement:
      return fmt::format("probe::ElementOf({}, {}, {})", Of(node.a[0]), Of(node.a[1]), Faults());
    case Op::kField:
      return FieldOf(node);
    case Op::kMin:
      return Among("LeastAmong", node);
    case Op::kMax:
      return Among("MostAmong", node);
    case Op::kMinOf:
      return fmt::format("probe::LeastOf({})", Of(node.a[0]));
    case Op::kMaxOf:
      return fmt::format("probe::MostOf({})", Of(node.a[0]));
    case Op::kSumOf:
      return fmt::format("probe::SumOf({}, {})", Of(node.a[0]), Faults());
    case Op::kToI64:
    case Op::kToU64:
    case Op::kToF64:
      return fmt::format("probe::Convert<{}>({}, {})", ScalarOf(node.type.kind), Of(node.a[0]),
                         Faults());
    case Op::kDelta:
    case Op::kRate:
      return Change(node);
    case Op::kBound:
      return Bound(node);
    default:
      return Arithmetic(node);
  }
}

std::string Emitter::Source(const Node& node) {
  const std::string value = fmt::format("{}[{}].value", Samples(), SourceName(device_, node.ref));
  if (node.type.kind == TypeKind::kStruct) return value;
  if (node.type.kind == TypeKind::kList)
    return fmt::format("probe::ListAs<{}, {}>({})", ScalarOf(node.type.item), node.type.count,
                       value);
  return fmt::format("probe::As<{}>({})", ScalarOf(node.type.kind), value);
}

std::string Emitter::FieldOf(const Node& node) {
  const std::string value = fmt::format("probe::Field({}, {})", Of(node.a[0]), node.ref);
  if (node.type.kind == TypeKind::kList)
    return fmt::format("probe::ListAs<{}, {}>({})", ScalarOf(node.type.item), node.type.count,
                       value);
  return fmt::format("probe::As<{}>({})", ScalarOf(node.type.kind), value);
}

std::string Emitter::Comparison(const Node& node) {
  const Type& first = At(node.a[0]).type;
  const Type& type = first.kind == TypeKind::kAbsent ? At(node.a[1]).type : first;
  const std::string scalar = ScalarOf(type.kind);
  return fmt::format("probe::Compare<{}>({}, {}, std::{}<{}>())", scalar, As(node.a[0], type),
                     As(node.a[1], type), FunctionOf(node.op), scalar);
}

std::string Emitter::Choice(const Node& node) {
  if (node.op == Op::kOrElse)
    return fmt::format("probe::KnownOr({}, [&] {{ return {}; }})", As(node.a[0], node.type),
                       As(node.a[1], node.type));
  return fmt::format("probe::Choose<{}>({}, [&] {{ return {}; }}, [&] {{ return {}; }})",
                     HeldTypeOf(node.type), As(node.a[1], kCondition), As(node.a[0], node.type),
                     As(node.a[2], node.type));
}

std::string Emitter::ListOf(const Node& node) {
  const Type item{.kind = node.type.item, .of = node.type.of};
  const std::string scalar = ScalarOf(item.kind);
  if (node.op == Op::kComprehension)
    return fmt::format(
        "probe::ListByTurns<{}, {}>({}, [&]([[maybe_unused]] std::int64_t turn) {{ return {}; }})",
        scalar, node.type.count, node.ref, As(node.a[0], item));
  std::string items;
  for (const int one : node.a) items += (items.empty() ? "" : ", ") + As(one, item);
  return fmt::format("probe::ListOf<{0}, {1}>({{{2}}})", scalar, node.type.count, items);
}

std::string Emitter::Among(const std::string& function, const Node& node) {
  std::string items;
  for (const int one : node.a) items += (items.empty() ? "" : ", ") + As(one, node.type);
  return fmt::format("probe::{}<{}>({{{}}})", function, ScalarOf(node.type.kind), items);
}

std::string Emitter::Change(const Node& node) {
  const std::string now = Of(node.a[0]), before = OfBefore(node.a[0]);
  const std::string scalar = ScalarOf(At(node.a[0]).type.kind);
  if (node.op == Op::kDelta)
    return fmt::format("probe::Delta<{}>({}, {}, {}, faults)", scalar, now, before, node.ref);
  const std::string source = SourceName(device_, node.source);
  return fmt::format(
      "probe::Rate<{}>({}, {}, {}, samples.now[{}].time_ns - samples.before[{}].time_ns, faults)",
      scalar, now, before, node.ref, source, source);
}

std::string Emitter::Bound(const Node& node) {
  const Bounds& bounds = device_.bounds[static_cast<std::size_t>(node.ref)];
  const auto text = [](const std::optional<double>& bound) {
    return bound ? LiteralOf({*bound}) : std::string("std::nullopt");
  };
  return fmt::format("probe::Bounded<{}>({}, {}, {}, {})", ScalarOf(node.type.kind),
                     As(node.a[0], node.type), text(bounds.least), text(bounds.most), Faults());
}

std::string Emitter::Arithmetic(const Node& node) {
  if (node.op == Op::kDivide)
    return fmt::format("probe::Divide({}, {}, {})", Of(node.a[0]), Of(node.a[1]), Faults());
  const std::string_view function = FunctionOf(node.op);
  RS_CHECK(!function.empty(), "an operation without a function");
  std::string operands;
  for (const int one : node.a) operands += (operands.empty() ? "" : ", ") + As(one, node.type);
  if (IsOfBits(node.op) && node.op != Op::kShiftLeft)
    return fmt::format("probe::{}({})", function, operands);
  if (node.op == Op::kShiftLeft) return fmt::format("probe::ShiftLeft({}, {})", operands, Faults());
  return fmt::format("probe::{}<{}>({}, {})", function, ScalarOf(node.type.kind), operands,
                     Faults());
}

}  // namespace rankscope::probe
