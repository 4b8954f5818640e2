// SQL over a job: DuckDB's dialect over views of all selected captures.
//
//   RS_ASSIGN_OR_RETURN(Table slow,
//                       sql::RunQuery(job, "FROM kernels ORDER BY dur_ns DESC LIMIT 10", {}));
//
// Views over all selected captures: events, kernels, ops, steps; (rank, capture, event) identifies
// a row. Views() lists their columns; COMMENTs in the database have the same text. Every analysis
// is also a view, computed with default options when a query reads it. Analyses are in the schema
// "analysis", which is searched after the views above: if both have a name, it means the view, and
// analysis.NAME the analysis. The job's selection of ranks, captures and steps applies to all.
//
// Without ORDER BY, simple selects return rows in the order (rank, capture, track, time).
//
// Results: integers become int64, floating point double (NaN and infinities null), text string,
// flags bool. All other types (dates, intervals, lists, structs, ...) become the text of a cast to
// VARCHAR. HUGEINT (the type of sum(dur_ns)), UBIGINT and DECIMAL without fraction become int64,
// DECIMAL with a fraction double. If that would change any value of a column, the whole column
// becomes the text of its exact numbers.
//
// Trust: a query sees only the job's views and cannot change DuckDB's settings.
// QueryOptions::allow_files additionally opens every file that the process may read and write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "contract/table_entry.h"
#include "engine/job.h"
#include "table/table.h"

namespace rankscope::sql {

struct QueryOptions {
  // Memory limit of DuckDB; the rest is spilled to disk. The returned Table and open traces are
  // extra.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  // Size limit of the table that Run returns: 8 bytes per number, the length of texts. While it
  // grows it takes up to twice that. 0: same as memory_bytes.
  std::uint64_t result_bytes = 0;
  // Parent of a private folder for spilled data, which is removed afterwards. Empty: $TMPDIR,
  // otherwise /var/tmp (which is not in memory, unlike /tmp), otherwise /tmp.
  std::string spill_folder;
  int threads = 0;  // 0 = as many as the job has
  // If false, a query sees only the job's views: it neither reads nor writes files, reaches no
  // network and loads no extension. In both cases it cannot change DuckDB's settings.
  bool allow_files = false;
  // Accepts only one SELECT or EXPLAIN at a time.
  bool select_only = false;
  // Analyses that become views; they must outlive the query.
  std::span<const Analysis* const> analyses;
  // Called from another thread while statements run; true ends them with kCancelled.
  std::function<bool()> cancelled = {};
};

// The views that are not analyses. They live as long as the program.
std::span<const TableEntry> Views();

// A database over a job, for any number of statements, one at a time. What they create stays until
// it is closed. The job must outlive it.
class JobDatabase {
 public:
  // About 15 ms.
  static Result<std::unique_ptr<JobDatabase>> Open(Job& job, const QueryOptions& options);
  ~JobDatabase();

  // Runs the statements of `sql` in turn and returns the rows of the last one as a table "query";
  // a statement without rows gives a table without columns. Errors in the query are
  // kInvalidArgument with DuckDB's sentence; a table of more than result_bytes is kResource. Each
  // scan opens a needed trace from the cache at most once; at most threads + 1 traces stay open
  // when idle.
  Result<Table> Run(const std::string& sql);

  // The same, but passes on the rows as they are computed, in tables of up to 2048 rows: memory
  // does not grow with their number. Calls `take` at least once, for the columns.
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take);

 private:
  struct State;
  explicit JobDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// JobDatabase::Run with a temporary database.
Result<Table> RunQuery(Job& job, const std::string& sql, const QueryOptions& options);

}  // namespace rankscope::sql
