// Session: a private DuckDB database in memory, and statements that run in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "sql/duckdb_handle.h"
#include "sql/failure.h"
#include "sql/spill_folder.h"

namespace rankscope::sql {

struct SessionOptions {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string spill_folder;  // see SpillFolder::Create
  int threads = 1;
  // Whether statements may read and write files (and whatever else lies outside of the database).
  bool allow_files = true;
};

class Session;

// The rows of a statement, a chunk at a time as they are computed: memory does not follow their
// number. Lives no longer than its session; one at a time per session.
class Rows {
 public:
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  // 0 when the statement has no rows to give (CREATE, SET, ...).
  std::size_t column_count() const { return column_count_; }
  std::string column_name(std::size_t column) const;
  LogicalType column_type(std::size_t column) const;

  // The next chunk, whose vectors are flat; an empty handle at the end.
  Result<Chunk> Next();

 private:
  friend class Session;
  Rows(Session& session, Prepared statement)
      : session_(session), statement_(std::move(statement)) {}
  Session& session_;
  Prepared statement_;
  mutable duckdb_result result_{};
  std::size_t column_count_ = 0;
};

class Session {
 public:
  // About 5 ms. Extensions are neither loaded nor fetched by themselves, secrets not kept.
  static Result<std::unique_ptr<Session>> Open(const SessionOptions& options);

  duckdb_connection connection() const { return connection_.get(); }
  // Where table functions leave what went wrong; becomes the statement's status.
  Failure& failure() { return failure_; }

  // From now on no statement changes a setting, those of Open among them.
  Status LockSettings() { return ExecuteAll("SET lock_configuration = true"); }

  // Makes `schema`.`name` a name for what `select` gives.
  Status CreateView(const std::string& schema, const std::string& name, const std::string& select);

  // Runs all statements of `sql`, those before the last to their end, and gives the rows of the
  // last. An error when there is none, or one has parameters.
  Result<std::unique_ptr<Rows>> Execute(const std::string& sql);
  // The same when no one wants the rows.
  Status ExecuteAll(const std::string& sql);

 private:
  friend class Rows;
  explicit Session(std::unique_ptr<SpillFolder> spill) : spill_(std::move(spill)) {}
  Result<std::unique_ptr<Rows>> Start(duckdb_extracted_statements statements, idx_t index);
  Status FailureOr(const char* message);

  std::unique_ptr<SpillFolder> spill_;  // outlives the database, which holds files in it
  Failure failure_;
  std::vector<std::string> views_;
  Database database_;
  Connection connection_;
};

}  // namespace rankscope::sql
