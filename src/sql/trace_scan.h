// The table functions behind the views over traces.
#pragma once

#include "base/status.h"
#include "sql/job_reader.h"
#include "sql/session.h"

namespace rankscope::sql {

// Registers events, kernels, ops and steps in the session. `reader` must outlive it.
//
// A scan is split into tasks of one capture and one row group, which DuckDB's threads take in
// order; a thread keeps its task's trace open. Only the columns that the query uses are computed.
Status RegisterTraceViews(Session& session, JobReader& reader);

}  // namespace rankscope::sql
