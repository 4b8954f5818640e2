// Patches as JSON, for programs that show them.
#pragma once

#include <string>

#include "fix/base/request.h"

namespace rankscope::fix {

// {"schema": "rankscope.fix/1", "diff": the unified diff, "changes": [{"file", "line", "finding",
// "gain", "kind", "what", "undo"}], "left": [{"file", "line", "finding", "why"}], "nothing": why
// there is no patch}. What is unknown or does not apply is null.
std::string WriteJson(const Patches& patches, const std::string& nothing);

}  // namespace rankscope::fix
