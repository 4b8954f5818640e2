// Loads DuckDB on the first use of SQL (duckdb_functions.h), or earlier on request.
#pragma once

#include "base/status.h"

namespace rankscope::sql {

// Finds libduckdb.so beside the program, or where the loader looks for libraries. Thread-safe; free
// after the first call. Must succeed before any function is called.
Status LoadDuckDb();

}  // namespace rankscope::sql
