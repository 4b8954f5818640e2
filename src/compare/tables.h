// The one list of the tables of a comparison.
#pragma once

#include <span>
#include <string_view>

#include "contract/table_entry.h"

namespace rankscope {

// In the order in which they stand in the report; HTA's own behind them.
std::span<const TableEntry> DiffTables();

// Null when there is none of that name.
const TableEntry* FindDiffTable(std::string_view name);

}  // namespace rankscope
