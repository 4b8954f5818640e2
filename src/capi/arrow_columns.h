// ArrowColumns: the columns of a table in the memory layout of Arrow, for any number of exports.
//
// Numbers, texts and their offsets use the table's own memory. Flags and nulls become bitmaps of at
// most an eighth of a byte per row each; their original memory is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::capi {

// A bitmap with 8 rows per byte, the first in the lowest bit; its size is a multiple of 8 bytes.
using Bitmap = std::vector<std::uint8_t>;

struct ArrowColumn {
  std::string name;  // unique among the columns of its table
  ColumnType type = ColumnType::kInt64;
  std::string unit;
  std::string doc;
  std::int64_t null_count = 0;
  Bitmap validity;                 // a bit is 1 if the cell is known; empty: all are known
  std::vector<std::int64_t> ints;  // kInt64
  std::vector<double> doubles;     // kDouble
  std::vector<std::uint64_t>
      offsets;       // kString: begin of each row's text, plus the end of the last
  std::string text;  // kString
  Bitmap flags;      // kBool
};

// The distinct texts of a column.
struct ArrowDictionary {
  std::vector<std::int32_t> codes;     // by row; 0 if it is null
  std::vector<std::uint64_t> offsets;  // as in a column
  std::string text;
};

// Immutable: any number of threads may read it.
class ArrowColumns {
 public:
  explicit ArrowColumns(Table table);

  const std::string& name() const { return name_; }
  std::size_t row_count() const { return row_count_; }
  const std::vector<ArrowColumn>& columns() const { return columns_; }

  // For a column of texts; made on first use. kResource if it has more than 2^31 different
  // texts.
  Result<const ArrowDictionary*> DictionaryOf(std::size_t column) const;

 private:
  std::string name_;
  std::size_t row_count_;
  std::vector<ArrowColumn> columns_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<const ArrowDictionary>> dictionaries_;  // by column
};

// The text of a row.
std::string_view TextAt(const std::vector<std::uint64_t>& offsets, const std::string& text,
                        std::size_t row);

}  // namespace rankscope::capi
