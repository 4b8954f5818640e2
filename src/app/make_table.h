// Makes one table by name, from its input: a job, two jobs, or memory snapshots.
#pragma once

#include <string>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// The paths of `spec` are those of a job; for a comparison table two paths, each a separate job;
// for a memory table one or two snapshots. Tables of dumps are made by read_hang.h; the error says
// so. straggler_slowdown also accepts a plain table of operations (replay/operations.h) as a job.
Result<Table> MakeTable(const TableRequest& request, const JobSpec& spec, Listener& listener);

// The same for an open job: only its own tables.
Result<Table> MakeTable(const TableRequest& request, OpenedJob& job, Listener& listener);

}  // namespace rankscope::app
