// A user's selection of rows and columns of a table, sorted.
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

// Sorts by all keys, the first one first. Unknown is last in both directions, and equal rows keep
// their order. Then takes the first rows and the selected columns. kInvalidArgument, with the
// nearest name, for an unknown column. O(rows log rows) if it sorts.
Result<Table> SelectRows(Table table, const RowSelection& selection);

}  // namespace rankscope
