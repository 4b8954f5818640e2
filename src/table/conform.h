// Tables that another version of the program wrote, as this one reads them.
#pragma once

#include "table/schema.h"
#include "table/table.h"

namespace rankscope {

// The rows of `table` with exactly the columns of `schema`: those that it has by name and type,
// null where it lacks them, which is what nobody wrote down; others are left out. Copies all.
Table ConformedTo(const SchemaColumns& schema, const Table& table);

}  // namespace rankscope
