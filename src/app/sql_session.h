// SqlSession: SQL over the events and tables of a job, in DuckDB's dialect, or over tables only.
// Every table of a job is a view with its name; catalog/tables.h has the other views.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::sql {
class JobDatabase;
class TablesDatabase;
}  // namespace rankscope::sql

namespace rankscope::app {

// The use of a result of Run, which determines its memory factor.
enum class ResultForm : std::uint8_t {
  kTable,  // read in place, or written piece by piece
  kText,   // laid out as text, which needs all cells as text at once
};

struct SqlOptions {
  // Total memory of statements and their result: DuckDB gets half of it, and spills more to disk.
  // Open traces are not included.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  ResultForm form = ResultForm::kTable;
  bool allow_files = false;  // otherwise statements see only the job
  bool select_only = false;  // one SELECT or EXPLAIN, for untrusted input
  // Called from another thread while statements run; true ends them with kCancelled.
  std::function<bool()> is_stopped = {};
};

// Objects created by statements exist until it is closed. For one thread.
class SqlSession {
 public:
  // About 15 ms. The job must outlive it.
  static Result<std::unique_ptr<SqlSession>> Open(OpenedJob& job, const SqlOptions& options);
  // For existing tables, such as those of a serving program.
  static Result<std::unique_ptr<SqlSession>> Open(std::vector<Table> tables,
                                                  const SqlOptions& options);
  ~SqlSession();

  // The rows of the last statement; a table without columns if it has none. Errors in statements
  // are kInvalidArgument; a result larger than its part of memory_bytes (a quarter for kTable, a
  // tenth for kText) is kResource.
  Result<Table> Run(const std::string& statements);
  // Passes the rows on as they are computed, in tables of up to 2048. `take` is called at least
  // once, for the columns.
  Status Stream(const std::string& statements, const std::function<Status(const Table&)>& take);

  std::size_t recordings() const { return recordings_; }

 private:
  using Database =
      std::variant<std::unique_ptr<sql::JobDatabase>, std::unique_ptr<sql::TablesDatabase>>;
  SqlSession(Database database, std::size_t recordings);

  Database database_;
  std::size_t recordings_;
};

}  // namespace rankscope::app
