// A job's traces, its report and its tables into a store.
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

// `run` says what is known of the job beside its files; `data` is the store's folder, made if need
// be; `program` the version of the program that makes the report. The run appears whole or not at
// all. `catalogue`: where that is not in the folder (store::StoreOptions).
Result<KeptJob> KeepJob(const JobSpec& spec, store::Run run, const std::string& data,
                        const std::string& program, Listener& listener,
                        const std::string& catalogue = "");

}  // namespace rankscope::app
