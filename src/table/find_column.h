// A column by the name that somebody typed.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

// kInvalidArgument, with the nearest name or all of them, for a column that is not there.
Result<std::size_t> FindColumn(const Table& table, std::string_view name);

}  // namespace rankscope
