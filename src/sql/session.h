// Session: a private DuckDB database in memory, and statements that run in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sql/copy_targets.h"
#include "sql/duckdb_handle.h"
#include "sql/error_text.h"
#include "sql/failure.h"
#include "sql/interrupt_watch.h"
#include "sql/spill_folder.h"
#include "table/table.h"

namespace rankscope::sql {

struct SessionOptions {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::string spill_folder;  // see SpillFolder::Create
  int threads = 1;
  // Whether statements may read and write files (and anything else outside of the database).
  bool allow_files = true;
  // Called from another thread while statements run; true ends them with kCancelled. Partly written
  // files are removed.
  std::function<bool()> cancelled = {};
};

class Session;

// The rows of a statement, one chunk at a time as they are computed: memory does not grow with
// their number. Must not outlive its session; one at a time per session.
class Rows {
 public:
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  // 0 if the statement returns no rows (CREATE, SET, ...).
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
  std::unique_ptr<InterruptWatch> watch_;
  std::optional<CopyTargets> copies_;  // of a COPY, until it has finished
  mutable duckdb_result result_{};
  std::size_t column_count_ = 0;
};

class Session {
 public:
  // About 5 ms. Does not load or fetch extensions automatically, and keeps no secrets.
  static Result<std::unique_ptr<Session>> Open(const SessionOptions& options);

  duckdb_connection connection() const { return connection_.get(); }
  // Where table functions store an error; it becomes the statement's status.
  Failure& failure() { return failure_; }

  // From now on no statement can change a setting, including those of Open.
  Status LockSettings() { return ExecuteAll("SET lock_configuration = true"); }

  // Creates the view `schema`.`name` for `select`.
  Status CreateView(const std::string& schema, const std::string& name, const std::string& select);

  // Adds comments for a view and its columns to the database.
  Status Comment(const std::string& schema, const std::string& view, std::string_view summary,
                 std::span<const ColumnSpec> columns);

  // Runs all statements of `sql`, the earlier ones to completion, and returns the rows of the last
  // one. An error if there is no statement, or one has parameters.
  Result<std::unique_ptr<Rows>> Execute(const std::string& sql);
  // Accepts only a single SELECT or EXPLAIN: for untrusted statements. From then on errors do not
  // mention options.
  Result<std::unique_ptr<Rows>> ExecuteSelect(const std::string& sql);
  // Execute without using the rows.
  Status ExecuteAll(const std::string& sql);

 private:
  friend class Rows;
  Session(std::unique_ptr<SpillFolder> spill, std::function<bool()> cancelled)
      : spill_(std::move(spill)), cancelled_(std::move(cancelled)) {}
  Result<Statements> Extract(const std::string& sql, idx_t& count);
  // Takes one statement out of the list; once per statement.
  Result<Prepared> Prepare(duckdb_extracted_statements statements, idx_t index);
  // `sql` is the text of all statements.
  Result<std::unique_ptr<Rows>> Start(Prepared statement, std::string_view sql);
  Status FailureOr(const char* message);
  Status FailureOf(Rows& rows, const char* message);
  bool IsCancelled() const { return cancelled_ && cancelled_(); }

  std::unique_ptr<SpillFolder> spill_;  // outlives the database, which has files in it
  std::function<bool()> cancelled_;
  Failure failure_;
  std::vector<std::string> views_;
  ErrorHints hints_ = ErrorHints::kOptions;
  Database database_;
  Connection connection_;
};

}  // namespace rankscope::sql
