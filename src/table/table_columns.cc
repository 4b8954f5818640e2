#include "table/table_columns.h"

#include <utility>

namespace rankscope {

std::vector<TakenColumn> TableColumns::Take(Table table) {
  std::vector<TakenColumn> columns;
  columns.reserve(table.specs_.size());
  for (std::size_t i = 0; i < table.specs_.size(); ++i) {
    Table::Data& data = table.data_[i];
    columns.push_back({.spec = std::move(table.specs_[i]),
                       .ints = std::move(data.ints),
                       .doubles = std::move(data.doubles),
                       .text_end = std::move(data.text_end),
                       .text = std::move(data.text),
                       .null = std::move(data.null)});
  }
  return columns;
}

}  // namespace rankscope
