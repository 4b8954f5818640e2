// Patches as SARIF 2.1.0 (OASIS), which code hosts show next to the lines of a pull request.
#pragma once

#include <string>
#include <string_view>

#include "fix/base/request.h"

namespace rankscope::fix {

// One result per change, whose fix is that of its whole file, and a note for everything left to the
// user. `version` is the program's.
std::string WriteSarif(const Patches& patches, std::string_view version);

}  // namespace rankscope::fix
