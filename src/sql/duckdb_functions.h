// DuckDB's C API, loaded on the first use of SQL.
//
// The loader binds 37,000 symbols of libduckdb.so: 10 ms of processor time and 12 MB, which most
// commands would waste. So nothing links against it. Within rankscope::sql, each function of
// duckdb.h is an object with the same name that is called in the same way. A function that is
// missing in the list causes a link error.
#pragma once

#include <duckdb.h>

#include "sql/load_duckdb.h"

// clang-format off
#define RANKSCOPE_DUCKDB_FUNCTIONS(F) \
  F(duckdb_array_type_array_size) \
  F(duckdb_array_type_child_type) \
  F(duckdb_array_vector_get_child) \
  F(duckdb_bind_add_result_column) \
  F(duckdb_bind_get_extra_info) \
  F(duckdb_bind_set_cardinality) \
  F(duckdb_close) \
  F(duckdb_column_count) \
  F(duckdb_column_logical_type) \
  F(duckdb_column_name) \
  F(duckdb_connect) \
  F(duckdb_create_array_value) \
  F(duckdb_create_bit) \
  F(duckdb_create_blob) \
  F(duckdb_create_bool) \
  F(duckdb_create_config) \
  F(duckdb_create_date) \
  F(duckdb_create_decimal) \
  F(duckdb_create_double) \
  F(duckdb_create_enum_value) \
  F(duckdb_create_float) \
  F(duckdb_create_hugeint) \
  F(duckdb_create_int16) \
  F(duckdb_create_int32) \
  F(duckdb_create_int64) \
  F(duckdb_create_int8) \
  F(duckdb_create_interval) \
  F(duckdb_create_list_value) \
  F(duckdb_create_logical_type) \
  F(duckdb_create_map_value) \
  F(duckdb_create_null_value) \
  F(duckdb_create_struct_value) \
  F(duckdb_create_table_function) \
  F(duckdb_create_time) \
  F(duckdb_create_time_ns) \
  F(duckdb_create_time_tz_value) \
  F(duckdb_create_timestamp) \
  F(duckdb_create_timestamp_ms) \
  F(duckdb_create_timestamp_ns) \
  F(duckdb_create_timestamp_s) \
  F(duckdb_create_timestamp_tz) \
  F(duckdb_create_uhugeint) \
  F(duckdb_create_uint16) \
  F(duckdb_create_uint32) \
  F(duckdb_create_uint64) \
  F(duckdb_create_uint8) \
  F(duckdb_create_union_value) \
  F(duckdb_create_uuid) \
  F(duckdb_create_varchar_length) \
  F(duckdb_data_chunk_get_size) \
  F(duckdb_data_chunk_get_vector) \
  F(duckdb_data_chunk_set_size) \
  F(duckdb_decimal_internal_type) \
  F(duckdb_decimal_scale) \
  F(duckdb_decimal_width) \
  F(duckdb_destroy_config) \
  F(duckdb_destroy_data_chunk) \
  F(duckdb_destroy_extracted) \
  F(duckdb_destroy_logical_type) \
  F(duckdb_destroy_pending) \
  F(duckdb_destroy_prepare) \
  F(duckdb_destroy_result) \
  F(duckdb_destroy_table_function) \
  F(duckdb_destroy_value) \
  F(duckdb_disconnect) \
  F(duckdb_enum_internal_type) \
  F(duckdb_execute_pending) \
  F(duckdb_extract_statements) \
  F(duckdb_extract_statements_error) \
  F(duckdb_fetch_chunk) \
  F(duckdb_free) \
  F(duckdb_function_get_extra_info) \
  F(duckdb_function_get_init_data) \
  F(duckdb_function_get_local_init_data) \
  F(duckdb_function_set_error) \
  F(duckdb_get_type_id) \
  F(duckdb_get_varchar) \
  F(duckdb_init_get_column_count) \
  F(duckdb_init_get_column_index) \
  F(duckdb_init_get_extra_info) \
  F(duckdb_init_set_error) \
  F(duckdb_init_set_init_data) \
  F(duckdb_init_set_max_threads) \
  F(duckdb_interrupt) \
  F(duckdb_list_type_child_type) \
  F(duckdb_list_vector_get_child) \
  F(duckdb_map_type_key_type) \
  F(duckdb_map_type_value_type) \
  F(duckdb_nparams) \
  F(duckdb_open_ext) \
  F(duckdb_pending_error) \
  F(duckdb_pending_prepared_streaming) \
  F(duckdb_prepare_error) \
  F(duckdb_prepare_extracted_statement) \
  F(duckdb_prepared_statement_type) \
  F(duckdb_register_table_function) \
  F(duckdb_result_error) \
  F(duckdb_result_return_type) \
  F(duckdb_set_config) \
  F(duckdb_struct_type_child_count) \
  F(duckdb_struct_type_child_type) \
  F(duckdb_struct_vector_get_child) \
  F(duckdb_table_function_set_bind) \
  F(duckdb_table_function_set_extra_info) \
  F(duckdb_table_function_set_function) \
  F(duckdb_table_function_set_init) \
  F(duckdb_table_function_set_local_init) \
  F(duckdb_table_function_set_name) \
  F(duckdb_table_function_supports_projection_pushdown) \
  F(duckdb_union_type_member_type) \
  F(duckdb_vector_assign_string_element_len) \
  F(duckdb_vector_ensure_validity_writable) \
  F(duckdb_vector_get_data) \
  F(duckdb_vector_get_validity) \
  F(duckdb_vector_size)
// clang-format on

namespace rankscope::sql {

template <typename Signature>
class DuckFunction;

template <typename Answer, typename... Arguments>
class DuckFunction<Answer(Arguments...)> {
 public:
  Answer operator()(Arguments... arguments) const { return function_(arguments...); }

 private:
  friend Status LoadDuckDb();
  Answer (*function_)(Arguments...) = nullptr;
};

#define RANKSCOPE_DECLARE(name) extern DuckFunction<decltype(::name)> name;
RANKSCOPE_DUCKDB_FUNCTIONS(RANKSCOPE_DECLARE)
#undef RANKSCOPE_DECLARE

}  // namespace rankscope::sql
