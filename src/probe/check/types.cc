// Types that the file declares: structs, enums, arrays, and how they lie in memory.
#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

struct NamedWidth {
  std::string_view name;
  Width width;
};
constexpr NamedWidth kWidths[] = {{"i8", Width::kI8},   {"i16", Width::kI16}, {"i32", Width::kI32},
                                  {"i64", Width::kI64}, {"u8", Width::kU8},   {"u16", Width::kU16},
                                  {"u32", Width::kU32}, {"u64", Width::kU64}, {"f32", Width::kF32},
                                  {"f64", Width::kF64}, {"ptr", Width::kPtr}};
constexpr std::string_view kTypes =
    "there are i8 to i64, u8 to u64, f32, f64, ptr, chars(n), array(T, n), enum(T, ...) and "
    "struct(...)";
constexpr std::int64_t kMostChars = 4096;
constexpr std::size_t kMostStructBytes = std::size_t{1} << 16;
constexpr std::size_t kMostFields = 1000;

bool IsWhole(Width width) { return width <= Width::kU64; }

// What a double of the file says exactly.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
std::int64_t LeastOf(Width width) {
  if (width >= Width::kU8) return 0;
  return width == Width::kI64 ? -kMostExact : -(std::int64_t{1} << (8 * BytesOf(width) - 1));
}
std::int64_t MostOf(Width width) {
  const std::size_t bits = 8 * BytesOf(width) - (width >= Width::kU8 ? 0 : 1);
  return bits >= 53 ? kMostExact : (std::int64_t{1} << bits) - 1;
}

}  // namespace

std::optional<Width> FindWidth(std::string_view name) {
  const auto* const found = std::ranges::find(kWidths, name, &NamedWidth::name);
  return found == std::end(kWidths) ? std::nullopt : std::optional(found->width);
}

std::optional<Layout> DeviceChecker::ReadLayout(const Expr& expr) {
  if (expr.kind == ExprKind::kName) {
    if (const auto width = FindWidth(expr.name)) return Layout{.width = *width};
    const auto found = symbols_.find(expr.name);
    if (found != symbols_.end()) {
      Symbol& symbol = found->second;
      symbol.is_used = true;
      if (symbol.kind == SymbolKind::kWrong) return std::nullopt;
      if (symbol.kind == SymbolKind::kStruct) return Layout{.struct_of = symbol.index};
      if (symbol.kind == SymbolKind::kEnum) {
        const Width width = made_.enums[static_cast<std::size_t>(symbol.index)].width;
        return Layout{.width = width, .enum_of = symbol.index};
      }
    }
  } else if (IsFunction(expr, "array") || IsFunction(expr, "chars")) {
    return ReadArray(expr);
  } else if (IsFunction(expr, "enum")) {
    const int index = ReadEnum(expr);
    if (index < 0) return std::nullopt;
    return Layout{.width = made_.enums[static_cast<std::size_t>(index)].width, .enum_of = index};
  } else if (IsFunction(expr, "struct")) {
    const int index = ReadStruct(expr, name_);
    if (index < 0) return std::nullopt;
    return Layout{.struct_of = index};
  }
  wrong_.Error(expr.place,
               expr.kind == ExprKind::kName ? fmt::format("there is no type `{}`", expr.name)
                                            : std::string("this is no type"),
               std::string(kTypes));
  return std::nullopt;
}

std::optional<Layout> DeviceChecker::ReadArray(const Expr& expr) {
  const Call call = CallOf(expr);
  const bool is_chars = call.name == "chars";
  if (!CheckCall(call, is_chars ? 1 : 2, is_chars ? 1 : 2, {})) return std::nullopt;
  if (is_chars) {
    const auto bytes = WholeOf(*call.values[0], "a length", 1, kMostChars);
    if (!bytes) return std::nullopt;
    return Layout{.width = Width::kChars, .count = static_cast<int>(*bytes)};
  }
  auto layout = ReadLayout(*call.values[0]);
  const auto count = WholeOf(*call.values[1], "a length", 1, kMostItems);
  if (!layout || !count) return std::nullopt;
  if (layout->is_array || layout->struct_of >= 0 || layout->width == Width::kChars) {
    wrong_.Error(call.values[0]->place, "an array has numbers, pointers or enums",
                 "declare one field for each");
    return std::nullopt;
  }
  layout->is_array = true;
  layout->count = static_cast<int>(*count);
  return layout;
}

int DeviceChecker::ReadEnum(const Expr& expr) {
  const int index = enums_.at(&expr);
  EnumDef& made = made_.enums[static_cast<std::size_t>(index)];
  const Call call{.name = "enum",
                  .place = expr.a[0]->place,
                  .values = std::span(expr.a).subspan(1),
                  .keywords = &expr.keywords};
  if (call.values.size() != 1 || call.keywords->empty()) {
    wrong_.Error(call.place, "an enum has a type and names", "write enum(u32, IDLE=0, RUN=1)");
    return -1;
  }
  const auto layout = ReadLayout(*call.values[0]);
  if (!layout) return -1;
  if (layout->is_array || layout->struct_of >= 0 || layout->enum_of >= 0 ||
      !IsWhole(layout->width)) {
    wrong_.Error(call.values[0]->place, "the values of an enum are whole numbers",
                 "write enum(u32, IDLE=0, RUN=1)");
    return -1;
  }
  made.width = layout->width;
  made.items.clear();
  for (const Keyword& one : expr.keywords) {
    const auto value =
        WholeOf(*one.value, fmt::format("`{}`", one.name), LeastOf(made.width), MostOf(made.width));
    if (!value) continue;
    made.items.push_back({std::string(one.name), *value});
    const auto found = symbols_.find(one.name);
    if (found != symbols_.end() && found->second.kind == SymbolKind::kEnumItem)
      found->second.value = *value;
  }
  return index;
}

bool DeviceChecker::AddField(StructDef& made, const Keyword& field, std::size_t& align) {
  const auto layout = ReadLayout(*field.value);
  if (!layout) return false;
  if (layout->struct_of >= 0) {
    wrong_.Error(field.value->place, "a struct stands within a struct", "write its fields here");
    return false;
  }
  const std::size_t each = BytesOf(layout->width);
  made.bytes = (made.bytes + each - 1) / each * each;
  made.fields.push_back({std::string(field.name), *layout, made.bytes});
  made.bytes += each * static_cast<std::size_t>(layout->count);
  align = std::max(align, each);
  return true;
}

int DeviceChecker::ReadStruct(const Expr& expr, std::string_view name) {
  StructDef made;
  made.name = name;
  std::size_t align = 1;
  const Expr* size = nullptr;
  bool is_good = expr.a.size() == 1;
  if (!is_good)
    wrong_.Error(expr.a[1]->place, "fields of a struct have names", "write struct(version=u32)");
  for (const Keyword& field : expr.keywords) {
    // A number is what the author says of the whole struct; a type is a field that is called so.
    if (field.name == "size" && field.value->kind == ExprKind::kInteger)
      size = field.value;
    else
      is_good &= AddField(made, field, align);
  }
  made.bytes = (made.bytes + align - 1) / align * align;
  if (!is_good) return -1;
  if (made.fields.empty() || made.fields.size() > kMostFields || made.bytes > kMostStructBytes) {
    wrong_.Error(expr.place,
                 fmt::format("a struct has 1 to {} fields and at most {} bytes", kMostFields,
                             kMostStructBytes),
                 "write struct(version=u32, busy_ns=array(u64, 8))");
    return -1;
  }
  if (size != nullptr && size->integer != made.bytes) {
    wrong_.Error(size->place,
                 fmt::format("this struct has {} bytes, not {}", made.bytes, size->integer),
                 "compare its fields with the header of the library");
    return -1;
  }
  made_.structs.push_back(std::move(made));
  return static_cast<int>(made_.structs.size()) - 1;
}

}  // namespace rankscope::probe
