// The rows of a statement as a Table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "sql/session.h"
#include "table/table.h"

namespace rankscope::sql {

// Name of the table with a statement's rows.
inline constexpr const char* kResultName = "query";

// Reads all rows into a table with that name; query.h describes the type conversions. kResource if
// it would exceed `most_bytes`.
Result<Table> ReadTable(Rows& rows, const std::string& name, std::uint64_t most_bytes);

// Passes on the rows as they are computed, in tables of up to a chunk of DuckDB. The first table
// always comes, possibly without rows. A column that must become text does so from its first number
// that does not fit.
Status StreamTables(Rows& rows, const std::string& name,
                    const std::function<Status(const Table&)>& take);

}  // namespace rankscope::sql
