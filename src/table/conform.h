// Tables written by another version of the program, converted for this one.
#pragma once

#include "table/schema.h"
#include "table/table.h"

namespace rankscope {

// The rows of `table` with exactly the columns of `schema`. Columns are matched by name and type;
// missing ones are null, and others are left out. Copies everything.
Table ConformedTo(const SchemaColumns& schema, const Table& table);

}  // namespace rankscope
