// Runs a command and waits for it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::rerun {

struct ProcessSpec {
  std::vector<std::string> words;                  // the program, by PATH, and its arguments
  std::map<std::string, std::string> environment;  // beside this process's own; "" is a value
  std::string folder;                              // it starts there
  // A file for all that it prints; "": it prints where this process does, and reads what this one
  // would read, but for a terminal.
  std::string log;
  std::chrono::seconds limit{3600};
};

struct ProcessEnd {
  int exit_code = 0;  // 128 + signal where one ended it
  bool ran_too_long = false;
  double seconds = 0;
};

// The command and all that it starts are one process group, of which nothing is left when this
// returns. `is_stopped` is asked twenty times a second: kCancelled then. kNotFound where there is
// no such program.
Result<ProcessEnd> RunProcess(const ProcessSpec& spec, const std::function<bool()>& is_stopped);

}  // namespace rankscope::rerun
