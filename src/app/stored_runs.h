// What is in a store: its runs as a table, and one of them as a folder.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// The table `runs` (schemas/store.h), the newest first. Runs that cannot be read are notices.
// `catalogue`: where that is not in the folder (store::StoreOptions).
Result<Table> RunsOf(const std::string& data, Listener& listener,
                     const std::string& catalogue = "");

// Writes a run's traces and its last report below a new folder, as copies. kInvalidArgument where
// the folder is there already.
Status CopyRun(const std::string& data, const std::string& run, const std::string& to,
               const std::string& catalogue = "");

}  // namespace rankscope::app
