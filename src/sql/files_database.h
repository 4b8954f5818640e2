// FilesDatabase: SQL over Parquet files and tables, with permission to write Parquet files: for use
// cases that maintain tables of their own.
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
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // limit; the rest is spilled to disk
  int threads = 1;
  // Called from another thread while statements run; true ends them with kCancelled.
  std::function<bool()> cancelled = {};
};

// Not thread-safe. Results are as in JobDatabase (query.h). Statements may read and write any file
// that the process may: they come from the program itself, except those of RunSelect.
class FilesDatabase {
 public:
  // About 5 ms.
  static Result<std::unique_ptr<FilesDatabase>> Open(const FilesOptions& options);
  ~FilesDatabase();

  // Names a table, which must outlive the database, or the result of `select`.
  Status AddTable(const std::string& name, const Table& table);
  Status AddView(const std::string& name, const std::string& select);

  Status Execute(const std::string& sql);
  Result<Table> Run(const std::string& sql);
  // Accepts one SELECT or EXPLAIN, for statements that a user typed.
  Result<Table> RunSelect(const std::string& sql);
  // Passes on the rows as they are computed, in tables of up to 2048 rows. Calls `take` at least
  // once.
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take);
  // Writes the rows to a file like WriteParquet; `select` must have the columns of `like`, which
  // also gives the file its table name.
  Status Copy(const std::string& select, const Table& like, const std::string& path);

 private:
  struct State;
  explicit FilesDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A read_parquet call for these files (at least one), as a part of a statement.
std::string ReadParquetOf(std::span<const std::string> files);

}  // namespace rankscope::sql
