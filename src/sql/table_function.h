// Helpers for table functions of DuckDB's C API.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sql/session.h"

namespace rankscope::sql {

// Deleter that DuckDB calls for data passed to it.
template <typename T>
void Delete(void* object) {
  delete static_cast<T*>(object);
}

// Adds a result column while a function is bound.
void AddColumn(duckdb_bind_info info, const char* name, duckdb_type type);

// The columns that a scan must fill, in the order of the chunk's vectors. An entry beyond the
// view's columns stands for a column whose values are not used.
std::vector<idx_t> ProjectedColumns(duckdb_init_info info);

// Ends a scan with an error. The status bypasses DuckDB, which would add text to it.
void Fail(duckdb_init_info info, Failure& failure, Status status);
void Fail(duckdb_function_info info, Failure& failure, Status status);

struct TableFunctionParts {
  duckdb_table_function_bind_t bind;
  duckdb_table_function_init_t init;
  duckdb_table_function_init_t init_thread;
  duckdb_table_function_t run;
};

// Registers a function without parameters and with projection pushdown, which owns `extra`.
template <typename Extra>
Status RegisterTableFunction(Session& session, const std::string& name,
                             const TableFunctionParts& parts, Extra extra) {
  const TableFunction function(duckdb_create_table_function());
  duckdb_table_function_set_name(function.get(), name.c_str());
  duckdb_table_function_set_extra_info(function.get(), new Extra(std::move(extra)), Delete<Extra>);
  duckdb_table_function_set_bind(function.get(), parts.bind);
  duckdb_table_function_set_init(function.get(), parts.init);
  duckdb_table_function_set_local_init(function.get(), parts.init_thread);
  duckdb_table_function_set_function(function.get(), parts.run);
  duckdb_table_function_supports_projection_pushdown(function.get(), true);
  if (duckdb_register_table_function(session.connection(), function.get()) != DuckDBSuccess)
    return Error(StatusCode::kInternal, "DuckDB refuses the table function {}", name);
  return OkStatus();
}

}  // namespace rankscope::sql
