#include "probe/compile/cpp.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace rankscope::probe {
namespace {

std::string_view WidthName(Width width) {
  constexpr std::array<std::string_view, 12> kNames = {"kI8",  "kI16", "kI32", "kI64",
                                                       "kU8",  "kU16", "kU32", "kU64",
                                                       "kF32", "kF64", "kPtr", "kChars"};
  return kNames[static_cast<std::size_t>(width)];
}

std::string_view KindName(TypeKind kind) {
  constexpr std::array<std::string_view, 11> kNames = {"kAny",  "kAbsent", "kI64", "kU64",
                                                       "kF64",  "kBool",   "kStr", "kPtr",
                                                       "kEnum", "kStruct", "kList"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string ScalarOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kI64:
    case TypeKind::kEnum:
      return "std::int64_t";
    case TypeKind::kU64:
    case TypeKind::kPtr:
      return "std::uint64_t";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kStr:
      return "std::string";
    case TypeKind::kF64:
    case TypeKind::kAny:
    case TypeKind::kAbsent:
    case TypeKind::kStruct:
    case TypeKind::kList:
      break;
  }
  return "double";
}

std::string HeldTypeOf(const Type& type) {
  if (type.kind == TypeKind::kStruct) return "probe::Value";
  if (type.kind == TypeKind::kList)
    return fmt::format("probe::List<{}, {}>", ScalarOf(type.item), type.count);
  return fmt::format("probe::Maybe<{}>", ScalarOf(type.kind));
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // Three digits: what follows is never taken for one more. `?` begins trigraphs.
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '?')
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string LiteralOf(const Value& value) {
  if (const bool* flag = value.If<bool>()) return *flag ? "true" : "false";
  if (const auto* natural = value.If<std::uint64_t>())
    return fmt::format("std::uint64_t{{{}u}}", *natural);
  if (const auto* real = value.If<double>()) return fmt::format("double{{{:a}}}", *real);
  if (const auto* text = value.If<std::string>())
    return fmt::format("std::string({})", Quoted(*text));
  const std::int64_t whole = *value.If<std::int64_t>();
  if (whole == std::numeric_limits<std::int64_t>::min())
    return "std::numeric_limits<std::int64_t>::min()";
  return fmt::format("std::int64_t{{{}}}", whole);
}

std::string NameOf(std::string_view name) { return fmt::format("{}_", name); }

std::string SourceName(const DeviceSpec& device, int source) {
  std::string name = device.sources[static_cast<std::size_t>(source)].name;
  for (char& c : name)
    if (c == '.') c = '_';
  return fmt::format("kSource{}_{}", source, name);
}

std::string TextOf(const Type& type) {
  return fmt::format(
      "{{.kind = probe::TypeKind::{}, .of = {}, .item = probe::TypeKind::{}, .count = {}}}",
      KindName(type.kind), type.of, KindName(type.item), type.count);
}

std::string TextOf(const Layout& layout) {
  return fmt::format(
      "{{.width = probe::Width::{}, .count = {}, .is_array = {}, .enum_of = {}, .struct_of = {}}}",
      WidthName(layout.width), layout.count, layout.is_array, layout.enum_of, layout.struct_of);
}

std::string TextOf(const Value& value) {
  return fmt::format("probe::Value{{{}}}", LiteralOf(value));
}

}  // namespace rankscope::probe
