// Launcher: the command with which whoever runs the server lets people run a job again from its
// page. There is none by default.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::service {

struct LauncherConfig {
  std::vector<std::string> argv;  // {run}, {finding} and {slo} are filled in as whole words
  std::chrono::seconds time{60};  // in which it has to have handed the job over
};

// A JSON object {"argv": ["sbatch", "again.sh", "{run}", "{finding}"], "time_s": 60}.
// kInvalidArgument names the file and what is wrong.
Result<LauncherConfig> ReadLauncher(const std::string& path);

struct LaunchOrder {
  std::string run;      // its id
  std::string finding;  // its id; "" of none
  std::string slo;      // "ttft=500ms,tpot=50ms", of a serving program; may be ""
  std::string who;      // the name of the token; may be ""
};

// Runs it in `folder`, which is made and removed, with RANKSCOPE_RUN, RANKSCOPE_FINDING,
// RANKSCOPE_SLO and RANKSCOPE_USER beside the server's own environment: no shell comes between, and
// no word of a user stands in what is run. The last of what it says; kBadData with that when it
// fails, does not end in time or prints without an end. It is ended then, and so is, whenever it
// ends, what it left running in its process group: it is to hand the job over, not to be it.
Result<std::string> Launch(const LauncherConfig& config, const LaunchOrder& order,
                           const std::string& folder);

}  // namespace rankscope::service
