// The rows of a statement as a Table.
#pragma once

#include <string>

#include "base/status.h"
#include "sql/session.h"
#include "table/table.h"

namespace rankscope::sql {

// Reads all rows into a table of that name; query.h says what becomes of DuckDB's types.
Result<Table> ReadTable(Rows& rows, const std::string& name);

}  // namespace rankscope::sql
