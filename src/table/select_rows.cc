#include "table/select_rows.h"

#include <string_view>
#include <utility>

#include "table/find_column.h"

namespace rankscope {
namespace {

Result<std::vector<Table::SortKey>> KeysOf(const Table& table,
                                           const std::vector<std::string>& sort) {
  std::vector<Table::SortKey> keys;
  for (const std::string_view text : sort) {
    const bool descending = text.starts_with('-');
    RS_ASSIGN_OR_RETURN(const std::size_t column,
                        FindColumn(table, text.substr(descending ? 1 : 0)));
    keys.push_back({column, descending});
  }
  return keys;
}

Table Only(const Table& table, const std::vector<std::size_t>& columns) {
  std::vector<ColumnSpec> specs;
  specs.reserve(columns.size());
  for (const std::size_t column : columns) specs.push_back(table.columns()[column]);
  Table chosen(table.name(), std::move(specs));
  std::vector<Value> row(columns.size());
  for (std::size_t i = 0; i < table.row_count(); ++i) {
    for (std::size_t at = 0; at < columns.size(); ++at) row[at] = table.At(i, columns[at]);
    chosen.AddRow(row);
  }
  return chosen;
}

}  // namespace

Result<Table> SelectRows(Table table, const RowSelection& selection) {
  RS_ASSIGN_OR_RETURN(const std::vector<Table::SortKey> keys, KeysOf(table, selection.sort));
  std::vector<std::size_t> columns;
  for (const std::string_view name : selection.columns) {
    RS_ASSIGN_OR_RETURN(const std::size_t column, FindColumn(table, name));
    columns.push_back(column);
  }
  if (!keys.empty()) table.SortBy(keys);
  if (selection.limit) table.Truncate(*selection.limit);
  if (columns.empty()) return table;
  return Only(table, columns);
}

}  // namespace rankscope
