// Some rows and columns of a table, in another order: what somebody asks for who looks at one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

struct RowSelection {
  std::vector<std::string> columns;  // empty: all, in their order
  std::vector<std::string> sort;     // columns, "-" before one for the largest first
  std::optional<std::size_t> limit;  // rows
};

// Sorts by all keys, the first one first; unknown is last either way, and rows that are equal keep
// their order. Then takes the first rows, and of these the columns. kInvalidArgument, with the
// nearest name, for a column that is not there. O(rows log rows) where it sorts.
Result<Table> SelectRows(Table table, const RowSelection& selection);

}  // namespace rankscope
