// Rows of a table that is kept as Parquet: filtered, sorted and cut, as an API or a page asks for
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {

struct Condition {
  enum class Kind : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kAtMost,
    kGreater,
    kAtLeast,
    kContains
  };
  std::string column;
  Kind kind = Kind::kEqual;
  std::string value;  // as text; of kEqual and kNotEqual "" means unknown
};

// "rank=3", "dur_ns>=1000", "name~gemm" (contains), "value!=" (is known). kInvalidArgument for what
// has none of the signs.
Result<Condition> ParseCondition(std::string_view text);

struct SortKey {
  std::string column;
  bool descending = false;
};

struct ParquetSelection {
  std::vector<std::string> columns;   // empty: all, in their order
  std::vector<Condition> conditions;  // all hold
  std::vector<SortKey> sort;          // unknown last; rows that are equal keep the file's order
  std::uint64_t offset = 0;
  std::uint64_t limit = 1000;
};

struct SelectedRows {
  Table table;                  // units and docs as WriteParquet stored them
  std::uint64_t row_count = 0;  // that fulfil the conditions
};

// kInvalidArgument for columns that are not there and values that are not of their type, kBadData
// for a file that WriteParquet did not write or that is damaged, kResource beyond `memory_bytes`.
// About 10 ms and the time to read the columns.
Result<SelectedRows> SelectParquet(const std::string& path, const std::string& name,
                                   const ParquetSelection& selection, std::uint64_t memory_bytes);

}  // namespace rankscope::sql
