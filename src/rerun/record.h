// `rankscope record`: a command runs once, as it is, and some of its training steps are recorded
// (docs/rerun.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

struct RecordSpec {
  std::vector<std::string> command;
  std::string folder;        // it starts there, and prints where this process does
  std::string out;           // an empty folder for the traces, a file a rank
  std::string work;          // a folder for the hooks
  int warmup = 5;            // steps before the first that is recorded
  int steps = 6;             // that are recorded
  bool ends_behind = false;  // its processes end behind these, with exit code 0
};

// The paths of the traces, at least one. kBadData where the command fails, or no step was recorded.
Result<std::vector<std::string>> Record(const RecordSpec& spec,
                                        const std::function<bool()>& is_stopped);

}  // namespace rankscope::rerun
