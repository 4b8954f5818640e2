// The rows of a table that satisfy conditions.
#pragma once

#include <vector>

#include "base/status.h"
#include "table/condition.h"
#include "table/table.h"

namespace rankscope {

// Keeps the rows that satisfy all conditions, in order. An unknown cell satisfies only the
// condition that it is unknown. Numbers compare as numbers, text by its bytes, false before true;
// "~" searches the text of any cell. kInvalidArgument for an unknown column and for a value of
// another type. O(rows x conditions).
Result<Table> FilterRows(Table table, const std::vector<Condition>& conditions);

}  // namespace rankscope
