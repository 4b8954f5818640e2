// IntCells: direct access to a column of integers, for loops over many rows, which would otherwise
// look up column and type for every cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "table/table_of.h"

namespace rankscope {

// The table outlives it and does not change. Rows are not checked.
class IntCells {
 public:
  template <typename S>
  IntCells(ViewOf<S> table, ColumnHandle<S, std::int64_t> column)
      : IntCells(table.table(), column.index()) {}

  bool IsNull(std::size_t row) const { return (*null_)[row]; }
  std::int64_t Int(std::size_t row) const { return (*values_)[row]; }  // 0 where it is null
  std::optional<std::int64_t> Known(std::size_t row) const {
    return IsNull(row) ? std::nullopt : std::optional(Int(row));
  }

 private:
  IntCells(const Table& table, std::size_t column);

  const PackedInts* values_;
  const std::vector<bool>* null_;
};

}  // namespace rankscope
