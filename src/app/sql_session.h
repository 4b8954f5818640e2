// SqlSession: SQL over the events and tables of a job, in DuckDB's dialect, or over tables alone.
// Every table of a job is a view with its name; catalog/tables.h has the views beside them.
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

// What becomes of a result that Run returns, and so how many times its size it takes.
enum class ResultForm : std::uint8_t {
  kTable,  // read in place, or written piece by piece
  kText,   // laid out as text, which needs every cell as text at a time
};

struct SqlOptions {
  // Of all that statements and their result need: DuckDB has half of it, and spills more to disk.
  // What is open of traces comes on top.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  ResultForm form = ResultForm::kTable;
  bool allow_files = false;  // else statements see the job alone
  bool select_only = false;  // one SELECT or EXPLAIN, for what others wrote
  // Asked while statements run, from another thread; true ends them with kCancelled.
  std::function<bool()> is_stopped = {};
};

// What statements create stays until it is closed. For one thread.
class SqlSession {
 public:
  // About 15 ms. The job outlives it.
  static Result<std::unique_ptr<SqlSession>> Open(OpenedJob& job, const SqlOptions& options);
  // Of tables that are there, such as those of a serving program.
  static Result<std::unique_ptr<SqlSession>> Open(std::vector<Table> tables,
                                                  const SqlOptions& options);
  ~SqlSession();

  // The rows of the last of the statements; a table without columns where it has none. Mistakes of
  // the statements are kInvalidArgument, a result of more than its part of memory_bytes
  // (a quarter as kTable, a tenth as kText) kResource.
  Result<Table> Run(const std::string& statements);
  // The rows handed on as they are computed, in tables of up to 2048. `take` is called at least
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
