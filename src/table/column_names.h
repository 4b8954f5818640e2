// Names of columns for formats that tell columns by them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

// The names in their order; one that occurred before, in whatever case, gets the first suffix of
// "_1", "_2", ... that makes it new.
std::vector<std::string> UniqueNames(std::span<const ColumnSpec> columns);

}  // namespace rankscope
