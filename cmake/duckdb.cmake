# DuckDB's C API: libduckdb.so and duckdb.h come from two npm packages that `./dev setup` fetches, checks and unpacks.
set(DUCKDB_ROOT ${CMAKE_SOURCE_DIR}/third_party/duckdb)
if(NOT EXISTS ${DUCKDB_ROOT}/libduckdb.so)
  message(FATAL_ERROR "third_party/duckdb is missing: run ./dev setup")
endif()
configure_file(${DUCKDB_ROOT}/libduckdb.so ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libduckdb.so COPYONLY)
# Nothing is linked against the library: it is loaded when SQL is first needed (sql/duckdb_functions.h).
add_library(DuckDB::duckdb INTERFACE IMPORTED)
set_target_properties(DuckDB::duckdb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${DUCKDB_ROOT})
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_BUILD_RPATH "$ORIGIN")
