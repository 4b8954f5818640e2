// Column names for formats that identify columns by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

// The names in order; a name that occurred before, ignoring case, gets the first suffix of "_1",
// "_2", ... that makes it unique.
std::vector<std::string> UniqueNames(std::span<const ColumnSpec> columns);

}  // namespace rankscope
