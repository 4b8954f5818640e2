// The timeline of a job as a file (timeline/file_format.h), for the server's pages.
#pragma once

#include <string>

#include "engine/job.h"
#include "table/table.h"

namespace rankscope::cli {

// `members` is the table collective_members, `clocks` the table clocks, of the same job. Opens the
// selected traces again, each once. A trace that can no longer be read is left out, as it is of
// the tables.
Status WriteTimeline(const Job& job, const Table& members, const Table& clocks,
                     const std::string& path);

}  // namespace rankscope::cli
