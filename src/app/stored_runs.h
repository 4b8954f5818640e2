// The contents of a store: its runs as a table, and one run as a folder.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// The table `runs` (schemas/store.h), newest first. Unreadable runs are notices. `catalogue`: its
// location if it is not in the folder (store::StoreOptions).
Result<Table> RunsOf(const std::string& data, Listener& listener,
                     const std::string& catalogue = "");

// Writes a run's traces and its last report below a new folder, as copies. kInvalidArgument if the
// folder exists.
Status CopyRun(const std::string& data, const std::string& run, const std::string& to,
               const std::string& catalogue = "");

}  // namespace rankscope::app
