// The one list of the tables of a comparison: `rankscope list`, completion and docs/tables.md are
// made of it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct DiffTable {
  std::string_view name;
  std::string_view summary;  // one line
  const std::vector<ColumnSpec>* columns = nullptr;
};

// In the order in which they stand in the report; HTA's own behind them.
std::span<const DiffTable> DiffTables();

// Null when there is none of that name.
const DiffTable* FindDiffTable(std::string_view name);

}  // namespace rankscope
