// DuckDB is loaded when SQL is first needed (duckdb_functions.h), or earlier by who wants it.
#pragma once

#include "base/status.h"

namespace rankscope::sql {

// Finds libduckdb.so beside the program, or where the loader looks for libraries. Thread-safe;
// after the first call it costs nothing. Must have succeeded before a function is called.
Status LoadDuckDb();

}  // namespace rankscope::sql
