// Patches as SARIF 2.1.0 (OASIS), which code hosts show beside the lines of a pull request.
#pragma once

#include <string>
#include <string_view>

#include "fix/base/request.h"

namespace rankscope::fix {

// A result for each change, whose fix is that of its whole file, and a note for what is left to the
// user. `version` is the program's.
std::string WriteSarif(const Patches& patches, std::string_view version);

}  // namespace rankscope::fix
