// What the hooks write of a run: how long its steps took, and its recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

struct RunTimes {
  double step_ns = 0;         // the mean, of the rank whose mean is longest
  std::int64_t steps = 0;     // that were timed, of the rank with the fewest
  std::int64_t ranks = 0;     // processes that trained
  bool is_of_device = false;  // by the clock of the devices
};

// Of the files *.times in the folder (python/rankscope_hooks/steps.py). nullopt where no process
// ended two steps of an optimizer. A file that does not hold what it should is an error.
Result<std::optional<RunTimes>> ReadRunTimes(const std::string& folder);

// Whether a process of the run has said that it ran code of HookWish::tree.
Result<bool> RanCodeOfTree(const std::string& folder);

// The traces that the hooks left in the folder.
Result<std::vector<std::string>> RecordingsIn(const std::string& folder);

}  // namespace rankscope::rerun
