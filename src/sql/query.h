// SQL over a job: DuckDB's dialect over views of all selected captures.
//
//   RS_ASSIGN_OR_RETURN(Table slow,
//                       sql::RunQuery(job, "FROM kernels ORDER BY dur_ns DESC LIMIT 10", {}));
//
// Views, over every selected capture: events, kernels, ops, steps; (rank, capture, event) names a
// row. Views() has their columns, and COMMENTs in the database say the same. Every analysis is a
// view too, computed when a query reads it, with default options. Analyses are in the schema
// "analysis", which is searched after the views above: a name that both have means the view, and
// analysis.NAME the analysis. The job's ranks, captures and steps bound them all.
//
// Without ORDER BY, plain selects give rows in the order (rank, capture, track, time).
//
// Results: integers become int64, floating point double (NaN and infinities null), text string,
// flags bool, and everything else (dates, intervals, lists, structs, ...) the text that a cast to
// VARCHAR gives. HUGEINT (the type of sum(dur_ns)), UBIGINT and DECIMAL without fraction become
// int64, DECIMAL with a fraction double; a column with a value that this would change becomes the
// text of its exact numbers.
//
// Trust: a query sees the job's views and nothing else, and changes no setting of DuckDB's, unless
// QueryOptions::allow_files opens what the process itself may read and write.
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
  // What DuckDB may hold; more is spilled to disk. The returned Table and open traces come on top.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  // What the table that Run returns may have: numbers at 8 bytes, texts at their length. It takes
  // up to twice that while it grows. 0: as memory_bytes.
  std::uint64_t result_bytes = 0;
  // Where a private folder for spilled data is made, and removed afterwards. Empty: $TMPDIR, else
  // /var/tmp (which, other than /tmp, is not memory), else /tmp.
  std::string spill_folder;
  int threads = 0;  // 0 = as many as the job has
  // Without, a query sees the job's views alone: it neither reads nor writes files, reaches no
  // network and loads no extension. No query changes DuckDB's settings either way.
  bool allow_files = false;
  // One SELECT or EXPLAIN at a time is taken, nothing else.
  bool select_only = false;
  // What becomes views; they must outlive the query.
  std::span<const Analysis* const> analyses;
  // Asked while statements run, from another thread; true ends them with kCancelled.
  std::function<bool()> cancelled = {};
};

// The views that are no analysis. They live as long as the program.
std::span<const TableEntry> Views();

// A database over a job, for any number of statements, one at a time: what they create stays until
// it is closed. The job outlives it.
class JobDatabase {
 public:
  // About 15 ms.
  static Result<std::unique_ptr<JobDatabase>> Open(Job& job, const QueryOptions& options);
  ~JobDatabase();

  // Runs the statements of `sql` in turn and returns the rows of the last as a table "query"; a
  // statement without rows gives a table without columns. The mistakes of a query are
  // kInvalidArgument with DuckDB's sentence; a table of more than result_bytes is kResource. Every
  // trace that the views need is opened from the cache once per scan or less; at most threads + 1
  // stay open when idle.
  Result<Table> Run(const std::string& sql);

  // The same, with the rows handed on as they are computed, in tables of up to 2048: memory does
  // not follow their number. `take` is called at least once, for the columns.
  Status Stream(const std::string& sql, const std::function<Status(const Table&)>& take);

 private:
  struct State;
  explicit JobDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// JobDatabase::Run in a database of its own.
Result<Table> RunQuery(Job& job, const std::string& sql, const QueryOptions& options);

}  // namespace rankscope::sql
