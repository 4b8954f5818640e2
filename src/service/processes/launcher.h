// Launcher: the operator's command by which people run a job again from its page. There is none by
// default.
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
// RANKSCOPE_SLO and RANKSCOPE_USER beside the server's own environment. No shell is involved, and
// no user text becomes part of the program. Returns the end of its output; kBadData with that
// output if it fails, exceeds its time or prints without end. Then it is ended. Whenever it ends,
// the rest of its process group is ended too: it has to hand the job over, not run it.
Result<std::string> Launch(const LauncherConfig& config, const LaunchOrder& order,
                           const std::string& folder);

}  // namespace rankscope::service
