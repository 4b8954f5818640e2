// A run of a store as input of the fleet's rows.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "fleet/rows/run_rows.h"
#include "store/store.h"

namespace rankscope::sql {
class FilesDatabase;
}  // namespace rankscope::sql

namespace rankscope::app {

// True for a ready run with a report of a job's traces.
bool HasFleetRows(const store::Run& run);

// SHA-256 of the inputs of a run's rows: its labels and its last report.
std::string FleetContentOf(const store::Run& run);

// Adds the rows of a run. Data missing from the report is unknown; a damaged part is kBadData,
// naming run and part. `database` can be used for any number of runs.
Status AddStoredRun(store::Store& store, const store::Run& run, sql::FilesDatabase& database,
                    fleet::FleetRows& rows);

}  // namespace rankscope::app
