#include "contract/field_options.h"

#include <algorithm>

#include "base/check.h"

namespace rankscope {
namespace {

std::string OptionName(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

CommandTarget TargetOf(const json::Type& type, void* value) {
  using Kind = json::Type::Kind;
  if (&type == &json::kTextType) return static_cast<std::string*>(value);
  if (&type == &json::kIntegerType) return static_cast<std::int64_t*>(value);
  if (&type == &json::kUnsignedType) return static_cast<std::uint64_t*>(value);
  if (&type == &json::kNumberType) return static_cast<double*>(value);
  if (&type == &json::kFlagType) return static_cast<bool*>(value);
  const bool is_list = type.kind == Kind::kList;
  if (is_list && type.inner == &json::kTextType)
    return static_cast<std::vector<std::string>*>(value);
  RS_CHECK(is_list && type.inner == &json::kIntegerType, "a field that can be no option");
  return static_cast<std::vector<std::int64_t>*>(value);
}

NumberCheck CheckOf(const json::Field& field) {
  if (!field.has_least() && !field.has_most()) return {};
  if (field.type != &json::kNumberType) return IntegerRange{field.least, field.most};
  return RealRange{static_cast<double>(field.least), static_cast<double>(field.most)};
}

}  // namespace

CommandOption& AddFieldOption(CommandSpec& command, const json::FieldList& fields,
                              std::string_view name, void* object) {
  const json::Field* const field = fields.Find(name);
  RS_CHECK(field != nullptr, "an option of a field that there is not");
  void* const value = field->at(object);
  if (field->type == &json::kFlagType)
    return command.AddFlag(OptionName(name), *static_cast<bool*>(value), std::string(field->doc));
  command.options.push_back({.names = OptionName(name),
                             .target = TargetOf(*field->type, value),
                             .about = std::string(field->doc)});
  CommandOption& option = command.options.back();
  option.check = CheckOf(*field);
  if (!field->words.empty()) option.OneOf({field->words.begin(), field->words.end()});
  const bool is_list = field->type->kind == json::Type::Kind::kList;
  if (is_list) option.Separator(',');
  const auto* const text = std::get_if<std::string*>(&option.target);
  const bool is_empty = is_list || (text != nullptr && (*text)->empty());
  if (field->is_required) return option.Required();
  return is_empty ? option : option.ShowDefault();
}

}  // namespace rankscope
