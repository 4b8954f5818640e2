// The rows of a table for which conditions hold.
#pragma once

#include <vector>

#include "base/status.h"
#include "table/condition.h"
#include "table/table.h"

namespace rankscope {

// All conditions hold of the rows that stay, in their order. Of an unknown cell no condition holds
// but that it is unknown. Numbers compare as numbers, text by its bytes, false before true; "~"
// looks into the text of any cell. kInvalidArgument for a column that is not there and for a value
// that is not of its type. O(rows x conditions).
Result<Table> FilterRows(Table table, const std::vector<Condition>& conditions);

}  // namespace rankscope
