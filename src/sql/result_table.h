// The rows of a statement as a Table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "sql/session.h"
#include "table/table.h"

namespace rankscope::sql {

// What the table of a statement's rows is called.
inline constexpr const char* kResultName = "query";

// Reads all rows into a table of that name; query.h says what becomes of DuckDB's types. kResource
// when it would take more than `most_bytes`.
Result<Table> ReadTable(Rows& rows, const std::string& name, std::uint64_t most_bytes);

// Hands the rows on as they are computed, in tables of up to a chunk of DuckDB's; the first, which
// comes in any case, may have none. A column that becomes text does so from its first number on
// that does not fit.
Status StreamTables(Rows& rows, const std::string& name,
                    const std::function<Status(const Table&)>& take);

}  // namespace rankscope::sql
