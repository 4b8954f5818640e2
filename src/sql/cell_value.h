// One cell of a DuckDB result as a value of its own, and as text.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "sql/duckdb_handle.h"

namespace rankscope::sql {

// The cell in the text that CAST(... AS VARCHAR) gives: dates, intervals, lists, structs and all
// other types but those that DuckDB's C API cannot make values of, which are an error. `vector` is
// flat, the cell is not null. Slow: a heap value per cell and per element of a list.
Result<std::string> CellText(duckdb_vector vector, const LogicalType& type, std::size_t row);

bool IsNull(duckdb_vector vector, std::size_t row);

// Text of a VARCHAR (or bytes of a BLOB) cell; lives as long as the chunk.
std::string_view TextOf(const duckdb_string_t* cells, std::size_t row);

// The unscaled number of a DECIMAL cell.
duckdb_hugeint UnscaledDecimal(const void* cells, duckdb_type internal_type, std::size_t row);

}  // namespace rankscope::sql
