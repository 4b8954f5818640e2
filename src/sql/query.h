// SQL over a job: DuckDB's dialect over views of all selected captures.
//
//   RS_ASSIGN_OR_RETURN(Table slow,
//                       sql::RunQuery(job, "FROM kernels ORDER BY dur_ns DESC LIMIT 10", {}));
//
// Views, over every selected capture; (rank, capture, event) names a row:
//
//   events   rank capture event ts_ns dur_ns name cat track step parent correlation
//   kernels  rank capture event ts_ns dur_ns name device stream step launch_event class bytes
//   ops      rank capture event ts_ns dur_ns name thread step parent shapes dtypes
//   steps    rank capture step start_ns end_ns inferred
//
// event, parent and launch_event are indices in the file's traceEvents. Times count from the job's
// origin, by the rank's own clock. track is "pid 123 tid 456", "gpu 0 stream 7", or the latter with
// "(waits)" or "(annotations)" behind it. step is the one that launched device work; other rows
// have the one, by the host's marks, in which they begin. kernels are all device work: kernels,
// copies, memsets. What is unknown is null.
//
// Every analysis is a view too, computed when a query reads it, with default options. Analyses are
// in the schema "analysis", which is searched after the views above: a name that both have means
// the view, and analysis.NAME the analysis. The job's ranks, captures and steps bound them all.
//
// Without ORDER BY, plain selects give rows in the order (rank, capture, track, time).
//
// Results: integers become int64, floating point double (NaN and infinities null), text string,
// flags bool, and everything else (dates, intervals, lists, structs, ...) the text that a cast to
// VARCHAR gives. HUGEINT (the type of sum(dur_ns)), UBIGINT and DECIMAL without fraction become
// int64, DECIMAL with a fraction double; a column with a value that this would change becomes the
// text of its exact numbers.
//
// Trust: a query is the user's own program. It may read and write files that the process may
// (read_parquet, COPY ... TO, ATTACH). Nothing is downloaded unless the query says INSTALL.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "engine/job.h"
#include "table/table.h"

namespace rankscope::sql {

struct QueryOptions {
  // What DuckDB may hold; more is spilled to disk. The returned Table and open traces come on top.
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;
  // Where a private folder for spilled data is made, and removed afterwards. Empty: $TMPDIR, else
  // /var/tmp (which, other than /tmp, is not memory), else /tmp.
  std::string spill_folder;
  int threads = 0;  // 0 = as many as the job has
  // Without, a query sees the job's views alone: it neither reads nor writes files, reaches no
  // network and loads no extension. No query changes DuckDB's settings either way.
  bool allow_files = false;
  // What becomes views; they must outlive the query.
  std::span<const Analysis* const> analyses;
};

// Runs the statements of `sql` in turn and returns the rows of the last as a table "query"; a
// statement without rows gives a table without columns. The mistakes of a query are
// kInvalidArgument with DuckDB's sentence. Every trace that the views need is opened from the cache
// once per scan or less; at most threads + 1 stay open when idle. One query at a time per job.
Result<Table> RunQuery(Job& job, const std::string& sql, const QueryOptions& options);

}  // namespace rankscope::sql
