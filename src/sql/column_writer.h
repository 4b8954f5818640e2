// ColumnWriter: fills one vector of a chunk that a table function returns to DuckDB.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "sql/duckdb_functions.h"

namespace rankscope::sql {

// DuckDB's chunks have this many rows (asserted against the library when a session opens).
inline constexpr std::size_t kVectorSize = 2048;

// DuckDB's representation of a text: up to 12 bytes inline, otherwise a view. No heap allocation,
// which makes scans of interned names fast. The text must live until the task's scan is over;
// operators that keep a text longer copy it. It must be UTF-8.
inline duckdb_string_t ViewOf(std::string_view text) {
  duckdb_string_t view;
  if (text.size() <= sizeof(view.value.inlined.inlined)) {
    std::memset(&view, 0, sizeof(view));
    if (!text.empty()) std::memcpy(view.value.inlined.inlined, text.data(), text.size());
  } else {
    std::memcpy(view.value.pointer.prefix, text.data(), sizeof(view.value.pointer.prefix));
    view.value.pointer.ptr = const_cast<char*>(text.data());
  }
  view.value.pointer.length = static_cast<std::uint32_t>(text.size());
  return view;
}

class ColumnWriter {
 public:
  explicit ColumnWriter(duckdb_vector vector)
      : vector_(vector), data_(duckdb_vector_get_data(vector)) {}

  // The cells in DuckDB's representation: int64_t, double, bool or duckdb_string_t.
  template <typename T>
  T* cells() {
    return static_cast<T*>(data_);
  }
  void SetNull(std::size_t row) {
    if (validity_ == nullptr) {
      duckdb_vector_ensure_validity_writable(vector_);
      validity_ = duckdb_vector_get_validity(vector_);
    }
    validity_[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }
  // Copies the text into the vector.
  void SetCopy(std::size_t row, std::string_view text) {
    duckdb_vector_assign_string_element_len(vector_, row, text.data(), text.size());
  }

 private:
  duckdb_vector vector_;
  void* data_;
  std::uint64_t* validity_ = nullptr;
};

}  // namespace rankscope::sql
