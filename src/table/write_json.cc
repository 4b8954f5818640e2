#include "table/write_json.h"

#include <vector>

#include "json/json_text.h"
#include "table/column_names.h"

namespace rankscope {
namespace {

// By hand: a Writer's calls would cost a table of millions of cells a tenth of its time.
void AppendJsonCell(std::string& out, const Table& table, std::size_t row, std::size_t column) {
  if (table.IsNull(row, column)) {
    out += "null";
    return;
  }
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      return AppendJsonInteger(out, table.Int(row, column));
    case ColumnType::kDouble:
      return AppendJsonDouble(out, table.Double(row, column));
    case ColumnType::kString:
      return AppendJsonString(out, table.String(row, column));
    case ColumnType::kBool:
      out += table.Bool(row, column) ? "true" : "false";
  }
}

void WriteRow(json::Writer& writer, const Table& table, std::size_t row) {
  writer.BeginArray();
  for (std::size_t column = 0; column < table.column_count(); ++column)
    WriteCell(writer, table, row, column);
  writer.EndArray();
}

}  // namespace

void WriteCell(json::Writer& writer, const Table& table, std::size_t row, std::size_t column) {
  AppendJsonCell(writer.Append(), table, row, column);
}

void WriteTableColumns(json::Writer& writer, const Table& table) {
  writer.Key("columns").BeginArray();
  for (const ColumnSpec& column : table.columns()) {
    writer.BeginObject()
        .Member("name", column.name)
        .Member("type", ToString(column.type))
        .Member("unit", column.unit)
        .EndObject();
  }
  writer.EndArray();
}

void WriteTableRows(json::Writer& writer, const Table& table, std::size_t first, std::size_t end) {
  for (std::size_t row = first; row < end; ++row) WriteRow(writer, table, row);
}

void WriteTableMembers(json::Writer& writer, const Table& table) {
  WriteTableColumns(writer, table);
  writer.Key("rows").BeginArray();
  WriteTableRows(writer, table, 0, table.row_count());
  writer.EndArray();
}

void WriteTableJson(json::Writer& writer, const Table& table) {
  writer.BeginObject();
  WriteTableMembers(writer, table);
  writer.EndObject();
}

std::string WriteJson(const Table& table) {
  std::string out;
  json::Writer writer(out);
  WriteTableJson(writer, table);
  return out;
}

void AppendJsonLines(std::string& out, const Table& table) {
  // Names are quoted once: in each row anew they would be a sixth of the time.
  std::vector<std::string> keys;
  for (const std::string& name : UniqueNames(table.columns())) {
    keys.emplace_back(keys.empty() ? "{" : ",");
    AppendKey(keys.back(), name);
  }
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t column = 0; column < keys.size(); ++column) {
      out += keys[column];
      AppendJsonCell(out, table, row, column);
    }
    out += "}\n";
  }
}

}  // namespace rankscope
