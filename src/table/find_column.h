// Finds a column by the name typed by a user.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

// kInvalidArgument, with the nearest name or all of them, for an unknown column.
Result<std::size_t> FindColumn(const Table& table, std::string_view name);

}  // namespace rankscope
