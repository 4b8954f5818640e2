#include "table/write_json.h"

#include <vector>

#include "json/json_text.h"
#include "table/column_names.h"

namespace rankscope {
namespace {

void AppendColumns(std::string& out, const Table& table) {
  const char* separator = "";
  for (const ColumnSpec& column : table.columns()) {
    out += separator;
    separator = ",";
    out += "{\"name\":";
    AppendJsonString(out, column.name);
    out += ",\"type\":";
    AppendJsonString(out, ToString(column.type));
    out += ",\"unit\":";
    AppendJsonString(out, column.unit);
    out += '}';
  }
}

void AppendCell(std::string& out, const Table& table, std::size_t row, std::size_t column) {
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

void AppendRow(std::string& out, const Table& table, std::size_t row) {
  out += '[';
  for (std::size_t column = 0; column < table.column_count(); ++column) {
    if (column != 0) out += ',';
    AppendCell(out, table, row, column);
  }
  out += ']';
}

}  // namespace

void AppendTableJson(std::string& out, const Table& table) {
  out += "{\"columns\":[";
  AppendColumns(out, table);
  out += "],\"rows\":[";
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (row != 0) out += ',';
    AppendRow(out, table, row);
  }
  out += "]}";
}

std::string WriteJson(const Table& table) {
  std::string out;
  AppendTableJson(out, table);
  return out;
}

void AppendJsonLines(std::string& out, const Table& table) {
  std::vector<std::string> keys;
  for (const std::string& name : UniqueNames(table.columns())) {
    keys.emplace_back(keys.empty() ? "{" : ",");
    AppendJsonString(keys.back(), name);
    keys.back() += ':';
  }
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t column = 0; column < keys.size(); ++column) {
      out += keys[column];
      AppendCell(out, table, row, column);
    }
    out += "}\n";
  }
}

}  // namespace rankscope
