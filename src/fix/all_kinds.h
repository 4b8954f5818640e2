// The single list of the kinds of patches.
#pragma once

#include <span>
#include <string_view>

#include "fix/base/kind.h"

namespace rankscope::fix {

// In the order of application: a kind comes before those that build on it.
std::span<const Kind* const> AllKinds();

// Whether any kind of patch handles that finding.
bool IsAnswered(std::string_view finding);

}  // namespace rankscope::fix
