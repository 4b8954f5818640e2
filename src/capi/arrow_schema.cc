#include "capi/arrow_schema.h"

#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::capi {
namespace {

// What an ArrowSchema points to. A child that a reader moved away has no `release` here any more.
struct SchemaOwner {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  std::optional<ArrowSchema> dictionary;

  SchemaOwner() = default;
  SchemaOwner(const SchemaOwner&) = delete;
  SchemaOwner& operator=(const SchemaOwner&) = delete;
  ~SchemaOwner() {
    for (ArrowSchema& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary && dictionary->release != nullptr) dictionary->release(&*dictionary);
  }
};

void Release(ArrowSchema* schema) {
  delete static_cast<SchemaOwner*>(schema->private_data);
  schema->release = nullptr;
}

// Cannot fail: who owns the parts hands them over last.
ArrowSchema SchemaOf(std::unique_ptr<SchemaOwner> owner) {
  ArrowSchema schema{};
  schema.format = owner->format.c_str();
  schema.name = owner->name.c_str();
  schema.metadata = owner->metadata.empty() ? nullptr : owner->metadata.data();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.n_children = static_cast<std::int64_t>(owner->children.size());
  schema.children = owner->pointers.empty() ? nullptr : owner->pointers.data();
  schema.dictionary = owner->dictionary ? &*owner->dictionary : nullptr;
  schema.release = Release;
  schema.private_data = owner.release();
  return schema;
}

void AppendNumber(std::string& out, std::size_t number) {
  const auto value = static_cast<std::int32_t>(number);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out.append(bytes, sizeof(value));
}

// The interface's own form: the number of pairs, then the size and the bytes of each key and value.
// Empty values are left out.
std::string MetadataOf(
    std::initializer_list<std::pair<std::string_view, std::string_view>> candidates) {
  std::string pairs;
  std::size_t count = 0;
  for (const auto& [key, value] : candidates) {
    if (value.empty()) continue;
    ++count;
    for (const std::string_view text : {key, value}) {
      AppendNumber(pairs, text.size());
      pairs += text;
    }
  }
  if (count == 0) return "";
  std::string metadata;
  AppendNumber(metadata, count);
  return metadata + pairs;
}

std::string_view FormatOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "l";
    case ColumnType::kDouble:
      return "g";
    case ColumnType::kString:
      return "U";
    case ColumnType::kBool:
      return "b";
  }
  return "n";
}

ArrowSchema SchemaOf(const ArrowColumn& column, TextForm form) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->name = column.name;
  owner->metadata = MetadataOf({{"unit", column.unit}, {"doc", column.doc}});
  owner->format = FormatOf(column.type);
  if (form == TextForm::kDictionary && column.type == ColumnType::kString) {
    auto texts = std::make_unique<SchemaOwner>();
    texts->format = FormatOf(ColumnType::kString);
    owner->format = "i";
    owner->dictionary = SchemaOf(std::move(texts));
  }
  return SchemaOf(std::move(owner));
}

}  // namespace

ArrowSchema ExportSchema(const ArrowColumns& columns, TextForm form) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->format = "+s";
  owner->metadata = MetadataOf({{"name", columns.name()}});
  owner->children.reserve(columns.columns().size());
  for (const ArrowColumn& column : columns.columns())
    owner->children.push_back(SchemaOf(column, form));
  owner->pointers.reserve(owner->children.size());
  for (ArrowSchema& child : owner->children) owner->pointers.push_back(&child);
  ArrowSchema schema = SchemaOf(std::move(owner));
  schema.flags = 0;  // a row is never null
  return schema;
}

}  // namespace rankscope::capi
