#include "table/table_columns.h"

#include <utility>

#include "base/check.h"

namespace rankscope {

std::vector<TakenColumn> TableColumns::Take(Table table) {
  std::vector<TakenColumn> columns;
  columns.reserve(table.specs_.size());
  for (std::size_t i = 0; i < table.specs_.size(); ++i) {
    Table::Data& data = table.data_[i];
    columns.push_back({.spec = std::move(table.specs_[i]),
                       .ints = data.ints.Take(),
                       .doubles = std::move(data.doubles),
                       .text_end = std::move(data.text_end),
                       .text = std::move(data.text),
                       .null = std::move(data.null)});
  }
  return columns;
}

const PackedInts& TableColumns::Ints(const Table& table, std::size_t column) {
  RS_CHECK(column < table.specs_.size() && table.specs_[column].type == ColumnType::kInt64,
           "table {} has no whole numbers in column {}", table.name_, column);
  return table.data_[column].ints;
}

const std::vector<bool>& TableColumns::Nulls(const Table& table, std::size_t column) {
  RS_CHECK(column < table.specs_.size(), "table {} has no column {}", table.name_, column);
  return table.data_[column].null;
}

}  // namespace rankscope
