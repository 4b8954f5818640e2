// The table functions behind the views over traces.
#pragma once

#include "base/status.h"
#include "sql/job_reader.h"
#include "sql/session.h"

namespace rankscope::sql {

// Makes events, kernels, ops and steps known to the session. `reader` outlives it.
//
// A scan is cut into tasks of a capture and a row group, which DuckDB's threads take in order; a
// thread holds its task's trace open. Only the columns that the query uses are made.
Status RegisterTraceViews(Session& session, JobReader& reader);

}  // namespace rankscope::sql
