// The differences between two jobs, BASE and TEST: a function of their tables (docs/diff.md).
//
// Everything is a mean over one device's window in one counted step, so that jobs with different
// numbers of steps or ranks can be compared. The means are rounded so that the parts of a table sum
// exactly, to the nanosecond, to the difference of the step times.
#pragma once

#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

// The tables of one job, named like the analyses. Those of the second block may be null.
struct JobTables {
  const Table* captures = nullptr;
  const Table* job_steps = nullptr;
  const Table* step_times = nullptr;
  const Table* time_breakdown = nullptr;
  const Table* step_work = nullptr;

  const Table* step_work_of_ranks = nullptr;  // with ranks=1: see NeedsRanks
  const Table* layout = nullptr;
  const Table* findings = nullptr;
  const Table* path_over_ranks = nullptr;
  const Table* replay_fidelity = nullptr;
};

// True if neither job has two complete steps, so that only ranks can give a spread: Compare then
// needs step_work_of_ranks.
bool NeedsRanks(const JobTables& base, const JobTables& test);

// The tables of schemas/diff.h, diff_job first. Fails with a sentence if there is nothing to
// compare. O(rows log rows).
Result<std::vector<Table>> Compare(const JobTables& base, const JobTables& test);

}  // namespace rankscope
