#include "json/typescript.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/json_text.h"
#include "json/schema.h"

namespace rankscope::json {
namespace {

using Kind = Type::Kind;

std::string Union(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "" : " | ";
    AppendJsonString(text, word);
  }
  return text;
}

std::string TypeText(const Field& field, const Type& type) {
  switch (type.kind) {
    case Kind::kText:
      return field.words.empty() ? "string" : Union(field.words);
    case Kind::kInteger:
    case Kind::kNumber:
      return "number";
    case Kind::kFlag:
      return "boolean";
    case Kind::kTexts:
      return "Readonly<Record<string, string>>";
    case Kind::kRaw:
      return type.fields == nullptr ? "unknown" : fmt::format("{} | null", type.fields().name());
    case Kind::kWord:
      return Union(type.words);
    case Kind::kMaybe:
      return TypeText(field, *type.inner) + (field.is_left_out ? "" : " | null");
    case Kind::kList: {
      const std::string item = TypeText(field, *type.inner);
      return fmt::format("readonly {}[]",
                         item.find(' ') == std::string::npos ? item : "(" + item + ")");
    }
    case Kind::kObject:
      return std::string(type.fields().name());
  }
  return "unknown";
}

std::string CommentOf(const Field& field) {
  if (field.doc.empty() && field.unit.empty()) return "";
  const std::string_view between = field.doc.empty() || field.unit.empty() ? "" : "; in ";
  return fmt::format("  // {}{}{}", field.doc, between, field.unit);
}

std::string InterfaceOf(const FieldList& list) {
  std::string text = fmt::format("// {}\nexport interface {}", list.doc(), list.name());
  if (list.base() != nullptr) text += fmt::format(" extends {}", list.base()->name());
  text += " {\n";
  for (const Field& field : list.fields()) {
    if (list.base() != nullptr && list.base()->Find(field.name) != nullptr) continue;
    const bool may_miss = IsAsked(list.use()) ? !field.is_required : field.is_left_out;
    text += fmt::format("  readonly {}{}: {}{};{}\n", field.name, may_miss ? "?" : "",
                        TypeText(field, *field.type), field.is_null_when_empty ? " | null" : "",
                        CommentOf(field));
  }
  text += "}\n";
  const bool needs_nothing = std::ranges::none_of(list.fields(), &Field::is_required);
  if (!IsAsked(list.use()) || !needs_nothing) return text;
  std::string constant = fmt::format("{}Defaults", list.name());
  constant.front() = static_cast<char>(constant.front() - 'A' + 'a');
  return text + fmt::format("export const {}: Required<{}> = {};\n", constant, list.name(),
                            list.Defaults());
}

}  // namespace

std::string TypeScriptOf(std::span<const FieldList* const> lists) {
  std::string text;
  for (const FieldList* const list : WithNested(lists)) {
    text += text.empty() ? "" : "\n";
    text += InterfaceOf(*list);
  }
  return text;
}

}  // namespace rankscope::json
