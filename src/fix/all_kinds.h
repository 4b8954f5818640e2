// The one list of the kinds of patches.
#pragma once

#include <span>
#include <string_view>

#include "fix/base/kind.h"

namespace rankscope::fix {

// In the order in which they are made: what another builds on stands first.
std::span<const Kind* const> AllKinds();

// Whether any kind answers that finding.
bool IsAnswered(std::string_view finding);

}  // namespace rankscope::fix
