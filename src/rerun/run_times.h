// Reads the hooks' output for a run: the duration of its steps, and its recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

struct RunTimes {
  double step_ns = 0;         // the mean on the rank with the longest mean
  std::int64_t steps = 0;     // timed steps on the rank with the fewest
  std::int64_t ranks = 0;     // training processes
  bool is_of_device = false;  // measured on the devices' clock
};

// From the files *.times in the folder (python/rankscope_hooks/steps.py). nullopt if no process
// finished two optimizer steps. An invalid file is an error.
Result<std::optional<RunTimes>> ReadRunTimes(const std::string& folder);

// Whether a process of the run reported that it ran code of HookWish::tree.
Result<bool> RanCodeOfTree(const std::string& folder);

// The traces that the hooks wrote to the folder.
Result<std::vector<std::string>> RecordingsIn(const std::string& folder);

}  // namespace rankscope::rerun
