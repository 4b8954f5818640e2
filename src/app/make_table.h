// One table by its name, of whatever it is made: a job, two jobs, memory snapshots.
#pragma once

#include <string>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// The paths of `spec` are those of a job; of a table of a comparison two, each a job of its own; of
// a table of memory one or two snapshots. Tables of dumps are made by read_hang.h, which the error
// says. A plain table of operations (replay/operations.h) stands for a job in straggler_slowdown.
Result<Table> MakeTable(const TableRequest& request, const JobSpec& spec, Listener& listener);

// Of a job that is open already: its own tables alone.
Result<Table> MakeTable(const TableRequest& request, OpenedJob& job, Listener& listener);

}  // namespace rankscope::app
