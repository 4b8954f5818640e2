// This program, for code that starts it again.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::cli {

// The path of its file.
Result<std::string> OwnProgram();

}  // namespace rankscope::cli
