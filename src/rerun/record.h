// `rankscope record`: runs a command once, unchanged, and records some of its training steps
// (docs/rerun.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

struct RecordSpec {
  std::vector<std::string> command;
  std::string folder;        // working folder; it prints where this process does
  std::string out;           // an empty folder for the traces, one file per rank
  std::string work;          // a folder for the hooks
  int warmup = 5;            // steps before the first recorded one
  int steps = 6;             // steps to record
  bool ends_behind = false;  // its processes end after these steps, with exit code 0
};

// The paths of the traces, at least one. kBadData if the command fails, or no step was recorded.
Result<std::vector<std::string>> Record(const RecordSpec& spec,
                                        const std::function<bool()>& is_stopped);

}  // namespace rankscope::rerun
