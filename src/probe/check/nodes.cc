#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {

int DeviceChecker::Add(Node node) {
  Facts facts{node.op == Op::kDelta || node.op == Op::kRate, 1};
  const auto take = [&](const Facts& below) {
    facts.has_delta |= below.has_delta;
    facts.depth = std::max(facts.depth, below.depth + 1);
  };
  for (const int one : node.a) take(facts_[static_cast<std::size_t>(one)]);
  if (node.op == Op::kNamed) {
    const int target = made_.names[static_cast<std::size_t>(node.ref)].node;
    take(facts_[static_cast<std::size_t>(target)]);
  }
  const bool is_large = made_.nodes.size() >= kMostNodes;
  if ((is_large || facts.depth > kMostNodeDepth) && !told_size_) {
    told_size_ = true;
    wrong_.Error(node.place,
                 is_large
                     ? fmt::format("this class has more than {} operations", kMostNodes)
                     : fmt::format("names build on each other more than {} deep", kMostNodeDepth),
                 "split it in several classes");
  }
  if (told_size_) node = {.op = Op::kAbsent, .type = {}, .unit = {}, .place = node.place, .a = {}};
  made_.nodes.push_back(std::move(node));
  facts_.push_back(told_size_ ? Facts{} : facts);
  return static_cast<int>(made_.nodes.size()) - 1;
}

int DeviceChecker::Wrong(Place place) {
  Node node;
  node.place = place;
  return Add(std::move(node));
}

int DeviceChecker::Constant(Place place, Type type, Value value) {
  Node node;
  node.op = Op::kConstant;
  node.type = type;
  node.place = place;
  node.constant = std::move(value);
  return Add(std::move(node));
}

bool DeviceChecker::IsNumber(int node) const {
  const TypeKind kind = TypeAt(node).kind;
  return kind == TypeKind::kI64 || kind == TypeKind::kU64 || kind == TypeKind::kF64 ||
         kind == TypeKind::kAny || kind == TypeKind::kAbsent;
}

bool DeviceChecker::IsLiteral(int node) const {
  const TypeKind kind = TypeAt(node).kind;
  return At(node).op == Op::kConstant &&
         (kind == TypeKind::kI64 || kind == TypeKind::kU64 || kind == TypeKind::kF64);
}

std::optional<int> DeviceChecker::Converted(int literal, TypeKind to) {
  const Value value = At(literal).constant;
  const Place place = At(literal).place;
  const auto* const whole = value.If<std::int64_t>();
  const auto* const natural = value.If<std::uint64_t>();
  if (to == TypeKind::kF64 && (whole != nullptr || natural != nullptr)) {
    const double real =
        whole != nullptr ? static_cast<double>(*whole) : static_cast<double>(*natural);
    return Constant(place, {.kind = to}, {real});
  }
  if (to == TypeKind::kU64 && whole != nullptr && *whole >= 0)
    return Constant(place, {.kind = to}, {static_cast<std::uint64_t>(*whole)});
  return std::nullopt;
}

bool DeviceChecker::Unify(int& a, int& b, std::string_view where, Place place) {
  const TypeKind first = TypeAt(a).kind, second = TypeAt(b).kind;
  const auto is_open = [](TypeKind kind) {
    return kind == TypeKind::kAny || kind == TypeKind::kAbsent;
  };
  if (is_open(first) || is_open(second) || TypeAt(a) == TypeAt(b)) return true;
  if (IsLiteral(b)) {
    if (const auto converted = Converted(b, first)) {
      b = *converted;
      return true;
    }
  }
  if (IsLiteral(a)) {
    if (const auto converted = Converted(a, second)) {
      a = *converted;
      return true;
    }
  }
  const bool are_numbers = IsNumber(a) && IsNumber(b);
  wrong_.Error(
      place, fmt::format("{} and {} meet in {}", Name(a), Name(b), where),
      are_numbers ? "convert one: i64(x), u64(x) or f64(x)" : "both are to be of one type");
  return false;
}

std::size_t BytesOf(Width width) {
  switch (width) {
    case Width::kI8:
    case Width::kU8:
    case Width::kChars:
      return 1;
    case Width::kI16:
    case Width::kU16:
      return 2;
    case Width::kI32:
    case Width::kU32:
    case Width::kF32:
      return 4;
    case Width::kI64:
    case Width::kU64:
    case Width::kF64:
    case Width::kPtr:
      break;
  }
  return 8;
}

Type TypeOf(const Layout& layout) {
  if (layout.struct_of >= 0) return {.kind = TypeKind::kStruct, .of = layout.struct_of};
  TypeKind kind = TypeKind::kI64;
  if (layout.enum_of >= 0)
    kind = TypeKind::kEnum;
  else if (layout.width == Width::kChars)
    kind = TypeKind::kStr;
  else if (layout.width == Width::kPtr)
    kind = TypeKind::kPtr;
  else if (layout.width == Width::kF32 || layout.width == Width::kF64)
    kind = TypeKind::kF64;
  else if (layout.width >= Width::kU8 && layout.width <= Width::kU64)
    kind = TypeKind::kU64;
  if (!layout.is_array) return {.kind = kind, .of = layout.enum_of};
  return {.kind = TypeKind::kList, .of = layout.enum_of, .item = kind, .count = layout.count};
}

std::string TypeText(const DeviceSpec& device, const Type& type) {
  switch (type.kind) {
    case TypeKind::kAny:
      return "anything";
    case TypeKind::kAbsent:
      return "absent";
    case TypeKind::kI64:
      return "i64";
    case TypeKind::kU64:
      return "u64";
    case TypeKind::kF64:
      return "f64";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kStr:
      return "str";
    case TypeKind::kPtr:
      return "ptr";
    case TypeKind::kEnum:
      return "enum " + device.enums[static_cast<std::size_t>(type.of)].name;
    case TypeKind::kStruct:
      return "struct " + device.structs[static_cast<std::size_t>(type.of)].name;
    case TypeKind::kList:
      return fmt::format("list of {} {}", type.count,
                         TypeText(device, {.kind = type.item, .of = type.of}));
  }
  return "";
}

std::vector<int> SourcesOf(const DeviceSpec& device, int node) {
  std::vector<char> seen(device.nodes.size());
  std::vector<int> waiting = {node}, sources;
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    if (seen[static_cast<std::size_t>(at)]++ != 0) continue;
    const Node& one = device.nodes[static_cast<std::size_t>(at)];
    if (one.op == Op::kSource) sources.push_back(one.ref);
    if (one.op == Op::kNamed)
      waiting.push_back(device.names[static_cast<std::size_t>(one.ref)].node);
    waiting.insert(waiting.end(), one.a.begin(), one.a.end());
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

Needed NeededOf(const DeviceSpec& device) {
  Needed needed{std::vector<char>(device.sources.size()), std::vector<char>(device.names.size())};
  std::vector<char> seen(device.nodes.size());
  std::vector<int> waiting;
  for (const Export& one : device.exports) {
    needed.names[static_cast<std::size_t>(one.named)] = 1;
    waiting.push_back(one.node);
  }
  while (!waiting.empty()) {
    const auto at = static_cast<std::size_t>(waiting.back());
    waiting.pop_back();
    if (seen[at]++ != 0) continue;
    const Node& node = device.nodes[at];
    const auto ref = static_cast<std::size_t>(node.ref);
    waiting.insert(waiting.end(), node.a.begin(), node.a.end());
    if (node.op == Op::kNamed) {
      needed.names[ref] = 1;
      waiting.push_back(device.names[ref].node);
    }
    if (node.op != Op::kSource) continue;
    needed.sources[ref] = 1;
    for (const CallArgument& argument : device.sources[ref].arguments)
      if (argument.node >= 0) waiting.push_back(argument.node);
  }
  return needed;
}

}  // namespace rankscope::probe
