// The one list of the tables of `rankscope hang`.
#pragma once

#include <span>
#include <string_view>

#include "contract/table_entry.h"

namespace rankscope {

std::span<const TableEntry> HangTableList();

// Null when there is none of that name.
const TableEntry* FindHangTable(std::string_view name);

}  // namespace rankscope
