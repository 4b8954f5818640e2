#include "table/conform.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace rankscope {

Table ConformedTo(const SchemaColumns& schema, const Table& table) {
  std::vector<std::optional<std::size_t>> from;
  for (const ColumnSpec& wanted : schema.columns()) {
    const auto found = std::ranges::find_if(table.columns(), [&](const ColumnSpec& there) {
      return there.name == wanted.name && there.type == wanted.type;
    });
    from.push_back(found == table.columns().end()
                       ? std::nullopt
                       : std::optional(static_cast<std::size_t>(found - table.columns().begin())));
  }
  Table conformed(table.name(), schema.columns());
  std::vector<Value> cells(from.size(), kNull);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t i = 0; i < from.size(); ++i)
      cells[i] = from[i] ? table.At(row, *from[i]) : Value(kNull);
    conformed.AddRow(cells);
  }
  return conformed;
}

}  // namespace rankscope
