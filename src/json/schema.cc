#include "json/schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::json {
namespace {

using Kind = Type::Kind;

void AddNested(const FieldList& list, std::vector<const FieldList*>& found) {
  if (std::ranges::find(found, &list) != found.end()) return;
  if (list.base() != nullptr) AddNested(*list.base(), found);
  for (const Field& field : list.fields()) {
    const Type* type = field.type;
    while (type->inner != nullptr) type = type->inner;
    if (type->fields != nullptr) AddNested(type->fields(), found);
  }
  found.push_back(&list);
}

void WriteWords(std::span<const std::string_view> words, Writer& writer) {
  writer.Key("enum").BeginArray();
  for (const std::string_view word : words) writer.Write(word);
  writer.EndArray();
}

void WriteBounds(const Field& field, Writer& writer) {
  if (field.has_least()) writer.Member("minimum", field.least);
  if (field.has_most()) writer.Member("maximum", field.most);
}

// Where the schemas of types inside are.
constexpr std::string_view kComponents = "#/components/schemas/";
constexpr std::string_view kOwnDefinitions = "#/$defs/";

void WriteReferenceTo(const FieldList& fields, std::string_view place, Writer& writer) {
  writer.BeginObject().Member("$ref", fmt::format("{}{}", place, fields.name())).EndObject();
}

void WriteReferenceOrNull(const FieldList& fields, std::string_view place, Writer& writer) {
  writer.Key("oneOf").BeginArray();
  WriteReferenceTo(fields, place, writer);
  writer.BeginObject().Member("type", "null").EndObject().EndArray();
}

// The members of a type's schema. `is_null` is whether null is a value of it, too.
void WriteType(const Field& field, const Type& type, bool is_null, std::string_view place,
               Writer& writer) {
  const auto kind = [&](std::string_view name) {
    writer.Key("type");
    if (!is_null) {
      writer.Write(name);
    } else {
      writer.BeginArray().Write(name).Write("null").EndArray();
    }
  };
  switch (type.kind) {
    case Kind::kText:
      kind("string");
      if (!field.words.empty()) WriteWords(field.words, writer);
      return;
    case Kind::kInteger:
      kind("integer");
      WriteBounds(field, writer);
      return;
    case Kind::kNumber:
      kind("number");
      WriteBounds(field, writer);
      return;
    case Kind::kFlag:
      kind("boolean");
      return;
    case Kind::kTexts:
      kind("object");
      writer.Key("additionalProperties").BeginObject().Member("type", "string").EndObject();
      return;
    case Kind::kRaw:
      if (type.fields != nullptr) WriteReferenceOrNull(type.fields(), place, writer);
      return;
    case Kind::kWord:
      kind("string");
      WriteWords(type.words, writer);
      return;
    case Kind::kMaybe:
      WriteType(field, *type.inner, !field.is_left_out, place, writer);
      return;
    case Kind::kList:
      kind("array");
      writer.Key("items").BeginObject();
      WriteType(field, *type.inner, false, place, writer);
      writer.EndObject();
      return;
    case Kind::kObject:
      if (!is_null) {
        writer.Member("$ref", fmt::format("{}{}", place, type.fields().name()));
        return;
      }
      WriteReferenceOrNull(type.fields(), place, writer);
      return;
  }
}

void WriteSchemaMembers(const FieldList& fields, std::string_view place, Writer& writer) {
  writer.Member("type", "object").Member("description", fields.doc());
  writer.Key("properties").BeginObject();
  const bool is_request = IsAsked(fields.use());
  std::vector<std::string_view> required;
  for (const Field& field : fields.fields()) {
    writer.Key(field.name).BeginObject();
    WriteType(field, *field.type, field.is_null_when_empty, place, writer);
    if (!field.doc.empty()) writer.Member("description", field.doc);
    if (!field.unit.empty()) writer.Member("x-unit", field.unit);
    const std::string by_default = is_request ? fields.DefaultOf(field) : "null";
    if (by_default != "null" && !field.is_required) writer.Key("default").Raw(by_default);
    writer.EndObject();
    if (is_request ? field.is_required : !field.is_left_out) required.push_back(field.name);
  }
  writer.EndObject();
  if (!required.empty()) writer.Member("required", required);
  if (fields.use() == Use::kRequest) writer.Member("additionalProperties", false);
}

}  // namespace

std::vector<const FieldList*> WithNested(std::span<const FieldList* const> lists) {
  std::vector<const FieldList*> found;
  for (const FieldList* const list : lists) AddNested(*list, found);
  return found;
}

void WriteReference(const FieldList& fields, Writer& writer) {
  WriteReferenceTo(fields, kComponents, writer);
}

void WriteSchema(const FieldList& fields, Writer& writer) {
  writer.BeginObject();
  WriteSchemaMembers(fields, kComponents, writer);
  writer.EndObject();
}

void WriteWholeSchema(const FieldList& fields, Writer& writer) {
  writer.BeginObject();
  WriteSchemaMembers(fields, kOwnDefinitions, writer);
  const FieldList* const all[] = {&fields};
  const std::vector<const FieldList*> nested = WithNested(all);
  if (nested.size() > 1) {
    writer.Key("$defs").BeginObject();
    for (const FieldList* const list : nested) {
      if (list == &fields) continue;
      writer.Key(list->name()).BeginObject();
      WriteSchemaMembers(*list, kOwnDefinitions, writer);
      writer.EndObject();
    }
    writer.EndObject();
  }
  writer.EndObject();
}

}  // namespace rankscope::json
