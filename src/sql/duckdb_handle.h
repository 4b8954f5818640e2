// Owners of DuckDB's C objects; they destroy the objects at the end of their scope.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sql/duckdb_functions.h"

namespace rankscope::sql {

// `kDestroy` is the API function that takes a Raw*.
template <typename Raw, const auto& kDestroy>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Raw raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      Destroy();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  ~Handle() { Destroy(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  Raw get() const { return raw_; }
  // For functions that construct an object in place; the handle must be empty.
  Raw* out() { return &raw_; }
  explicit operator bool() const { return raw_ != nullptr; }

 private:
  void Destroy() {
    if (raw_ != nullptr) kDestroy(&raw_);
    raw_ = nullptr;
  }
  Raw raw_ = nullptr;
};

using Database = Handle<duckdb_database, duckdb_close>;
using Connection = Handle<duckdb_connection, duckdb_disconnect>;
using Config = Handle<duckdb_config, duckdb_destroy_config>;
using Statements = Handle<duckdb_extracted_statements, duckdb_destroy_extracted>;
using Prepared = Handle<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Handle<duckdb_pending_result, duckdb_destroy_pending>;
using Chunk = Handle<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using LogicalType = Handle<duckdb_logical_type, duckdb_destroy_logical_type>;
using TableFunction = Handle<duckdb_table_function, duckdb_destroy_table_function>;
using DuckValue = Handle<duckdb_value, duckdb_destroy_value>;

// Text that DuckDB allocated.
struct DuckFree {
  void operator()(void* text) const { duckdb_free(text); }
};
using DuckText = std::unique_ptr<char, DuckFree>;

// A text in single quotes, escaped for SQL.
inline std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace rankscope::sql
