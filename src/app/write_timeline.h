// The timeline of a job as a file (timeline/file_format.h), for the server's pages.
#pragma once

#include <string>

#include "engine/job.h"
#include "table/table.h"

namespace rankscope::app {

// Of the same job.
struct TimelineTables {
  const Table& members;   // collective_members
  const Table& messages;  // point_to_point_members
  const Table& clocks;
  const Table& path;  // path_pieces
};

// Opens the selected traces again, each once. A trace that can no longer be read is left out, as in
// the tables.
Status WriteTimeline(const Job& job, const TimelineTables& tables, const std::string& path);

}  // namespace rankscope::app
