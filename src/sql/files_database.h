// FilesDatabase: SQL over Parquet files and tables, which may write Parquet files: for use cases
// that keep tables of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {

struct FilesOptions {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of DuckDB; the rest is spilled to disk
  int threads = 1;
  // Asked from another thread while statements run; true ends them with kCancelled.
  std::function<bool()> cancelled = {};
};

// For one thread. Results are JobDatabase's (query.h). Statements may read and write any file that
// the process may: they are the program's own, but for RunSelect's.
class FilesDatabase {
 public:
  // About 5 ms.
  static Result<std::unique_ptr<FilesDatabase>> Open(const FilesOptions& options);
  ~FilesDatabase();

  // A name for a table, which outlives the database, or for what `select` gives.
  Status AddTable(const std::string& name, const Table& table);
  Status AddView(const std::string& name, const std::string& select);

  Status Execute(const std::string& sql);
  Result<Table> Run(const std::string& sql);
  // Takes one SELECT or EXPLAIN, for what somebody typed.
  Result<Table> RunSelect(const std::string& sql);
  // The rows in tables of up to 2048 as they are computed. `take` is called at least once.
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take);
  // Writes the rows to a file as WriteParquet does; `select` has the columns of
  // `like`, by which the file is named.
  Status Copy(const std::string& select, const Table& like, const std::string& path);

 private:
  struct State;
  explicit FilesDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// read_parquet of these files, which are some, as a part of a statement.
std::string ReadParquetOf(std::span<const std::string> files);

}  // namespace rankscope::sql
