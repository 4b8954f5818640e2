// Rows of a table that is kept as Parquet: filtered, sorted and cut, as an API or a page asks for
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {

class Session;

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

// Safe for many threads; each that asks at the same time has a database of its own, which stays for
// the next.
class ParquetReader {
 public:
  // `memory_bytes` for each database.
  explicit ParquetReader(std::uint64_t memory_bytes);
  ~ParquetReader();

  // kInvalidArgument for columns that are not there and values that are not of their type, kBadData
  // for a file that WriteParquet did not write or that is damaged, kResource beyond the memory. A
  // few milliseconds and the time to read the columns.
  Result<SelectedRows> Select(const std::string& path, const std::string& name,
                              const ParquetSelection& selection);

 private:
  const std::uint64_t memory_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace rankscope::sql
