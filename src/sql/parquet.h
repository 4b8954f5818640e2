// Tables as Parquet files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {

class Session;

// Writes tables through one database, which starts with the first table (about 5 ms). Not
// thread-safe.
class ParquetWriter {
 public:
  ParquetWriter();
  ~ParquetWriter();
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;
  // Like WriteParquet.
  Status Write(const Table& table, const std::string& path);

 private:
  std::unique_ptr<Session> session_;
  std::int64_t written_ = 0;
};

// Writes `table` to `path`: the old file stays until the new one is complete. Types: int64, double,
// string and bool as INT64, DOUBLE, UTF8 and BOOLEAN, all optional; rows in their order; zstd. The
// file's key-value metadata adds what Parquet's schema cannot express:
//
//   rankscope.table    the table's name
//   rankscope.columns  JSON: [{"name":"dur_ns","unit":"ns","doc":"..."}, ...]
//   rankscope.schema   16 digits that differ when a name, type or unit of a column does
//
// Invalid UTF-8 becomes U+FFFD. A repeated column name gets a suffix. A table without columns is an
// error, since Parquet does not allow it.
Status WriteParquet(const Table& table, const std::string& path);

}  // namespace rankscope::sql
