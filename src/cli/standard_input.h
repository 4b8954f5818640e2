// "-" among paths: standard input.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::cli {

inline constexpr const char* kStandardInput = "-";

// Every "-" becomes the path of a file with what standard input has. Traces are read more than
// once, so what comes from a pipe is kept in a file without a name, in the folder for temporary
// ones, which ends with the process. kIo when it cannot be read or kept.
Status TakeStandardInput(std::vector<std::string>& paths);
Status TakeStandardInput(std::string& path);

}  // namespace rankscope::cli
