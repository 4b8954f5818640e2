// The single list of the tables of a comparison.
#pragma once

#include <span>
#include <string_view>

#include "contract/table_entry.h"

namespace rankscope {

// In the order of the report, followed by HTA's tables.
std::span<const TableEntry> DiffTables();

// Null if no table has that name.
const TableEntry* FindDiffTable(std::string_view name);

}  // namespace rankscope
