// One cell of a DuckDB result as a separate value, and as text.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "sql/duckdb_handle.h"

namespace rankscope::sql {

// The cell as the text of CAST(... AS VARCHAR): dates, intervals, lists, structs and all other
// types, except those for which DuckDB's C API cannot make values; these are an error. `vector`
// must be flat, the cell not null. Slow: one heap value per cell and per element of a list.
Result<std::string> CellText(duckdb_vector vector, const LogicalType& type, std::size_t row);

bool IsNull(duckdb_vector vector, std::size_t row);

// Text of a VARCHAR cell (or bytes of a BLOB); lives as long as the chunk.
std::string_view TextOf(const duckdb_string_t* cells, std::size_t row);

// The unscaled number of a DECIMAL cell.
duckdb_hugeint UnscaledDecimal(const void* cells, duckdb_type internal_type, std::size_t row);

}  // namespace rankscope::sql
