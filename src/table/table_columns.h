// A table's columns: moved out, for formats that pass memory on, or accessed in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

// One value per row; a null cell holds 0 or no text.
struct TakenColumn {
  ColumnSpec spec;
  std::vector<std::int64_t> ints;       // kInt64; kBool as 0 and 1
  std::vector<double> doubles;          // kDouble
  std::vector<std::uint64_t> text_end;  // kString: end offset of each row's text in `text`
  std::string text;
  std::vector<bool> null;
};

class TableColumns {
 public:
  // Integers of more than one block are unpacked (packed_ints.h), column by column; everything else
  // is moved.
  static std::vector<TakenColumn> Take(Table table);
  // For a column of type kInt64: a value per row, 0 for null. The table must outlive the result.
  static const PackedInts& Ints(const Table& table, std::size_t column);
  static const std::vector<bool>& Nulls(const Table& table, std::size_t column);
};

}  // namespace rankscope
