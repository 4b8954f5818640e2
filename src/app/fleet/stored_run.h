// A run of a store as the fleet's rows are made of it.
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

// A run that has rows: ready, with a report of a job's traces.
bool HasFleetRows(const store::Run& run);

// What the rows of a run follow from: its labels and its last report. SHA-256.
std::string FleetContentOf(const store::Run& run);

// Adds the rows of a run. What a report has not is unknown; a part that is damaged is kBadData and
// names run and part. `database` is for any number of runs.
Status AddStoredRun(store::Store& store, const store::Run& run, sql::FilesDatabase& database,
                    fleet::FleetRows& rows);

}  // namespace rankscope::app
