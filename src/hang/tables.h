// The one list of the tables of `rankscope hang`: `rankscope list`, completion and docs/tables.md
// are made of it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct HangTable {
  std::string_view name;
  std::string_view summary;  // one line
  const std::vector<ColumnSpec>* columns = nullptr;
};

std::span<const HangTable> HangTableList();

// Null when there is none of that name.
const HangTable* FindHangTable(std::string_view name);

}  // namespace rankscope
