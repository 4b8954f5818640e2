#include "sql/table_function.h"

namespace rankscope::sql {

void AddColumn(duckdb_bind_info info, const char* name, duckdb_type type) {
  const LogicalType logical(duckdb_create_logical_type(type));
  duckdb_bind_add_result_column(info, name, logical.get());
}

std::vector<idx_t> ProjectedColumns(duckdb_init_info info) {
  std::vector<idx_t> columns(duckdb_init_get_column_count(info));
  for (idx_t i = 0; i < columns.size(); ++i) columns[i] = duckdb_init_get_column_index(info, i);
  return columns;
}

void Fail(duckdb_init_info info, Failure& failure, Status status) {
  duckdb_init_set_error(info, status.message().c_str());
  failure.Set(std::move(status));
}

void Fail(duckdb_function_info info, Failure& failure, Status status) {
  duckdb_function_set_error(info, status.message().c_str());
  failure.Set(std::move(status));
}

}  // namespace rankscope::sql
