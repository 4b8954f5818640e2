// Stores a job's traces, report and tables.
#pragma once

#include <string>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "store/run.h"

namespace rankscope::app {

struct KeptJob {
  std::string run;         // its id
  bool was_there = false;  // the store had these files under this name already
};

// `run` has the known data of the job besides its files. `data` is the store's folder, created if
// needed; `program` is the version of the program that makes the report. The run appears completely
// or not at all. `catalogue`: the catalogue's location if it is not in the folder
// (store::StoreOptions).
Result<KeptJob> KeepJob(const JobSpec& spec, store::Run run, const std::string& data,
                        const std::string& program, Listener& listener,
                        const std::string& catalogue = "");

}  // namespace rankscope::app
