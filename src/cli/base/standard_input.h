// "-" in a list of paths: standard input.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::cli {

inline constexpr const char* kStandardInput = "-";

// Replaces every "-" by the path of a file with the content of standard input. Traces are read more
// than once, so input from a pipe is stored in an unnamed file in the folder for temporary files,
// which disappears with the process. kIo if it cannot be read or stored.
Status TakeStandardInput(std::vector<std::string>& paths);
Status TakeStandardInput(std::string& path);

// All of it. kIo if it cannot be read.
Result<std::string> ReadStandardInput();

}  // namespace rankscope::cli
