#include "sql/parquet_copy.h"

#include "base/hash.h"
#include "json/writer.h"
#include "sql/names.h"

namespace rankscope::sql {
namespace {

std::string AsJson(std::span<const ColumnSpec> columns) {
  std::string json;
  json::Writer writer(json);
  writer.BeginArray();
  for (const ColumnSpec& column : columns) {
    writer.BeginObject().Member("name", column.name).Member("unit", column.unit);
    writer.Member("doc", column.doc).EndObject();
  }
  writer.EndArray();
  return json;
}

// What readers rely on: not the words of the docs.
std::string SchemaOfColumns(std::span<const ColumnSpec> columns) {
  std::string text;
  for (const ColumnSpec& column : columns)
    text += fmt::format("{}\n{}\n{}\n", column.name, ToString(column.type), column.unit);
  return HashBytes(text).Hex().substr(0, 16);
}

}  // namespace

std::string CopyToParquet(std::string_view select, std::string_view path, std::string_view table,
                          std::span<const ColumnSpec> columns) {
  return fmt::format(
      "COPY ({}) TO {} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA "
      "{{'rankscope.table': {}, 'rankscope.columns': {}, 'rankscope.schema': {}}})",
      select, QuotedText(path), QuotedText(table), QuotedText(AsJson(columns)),
      QuotedText(SchemaOfColumns(columns)));
}

}  // namespace rankscope::sql
