// Patches as JSON, for programs that show them.
#pragma once

#include <string>

#include "fix/base/request.h"

namespace rankscope::fix {

// An api::Patch. `nothing`: the reason if there is no patch.
std::string WriteJson(const Patches& patches, const std::string& nothing);

}  // namespace rankscope::fix
