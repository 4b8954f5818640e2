// The hta.* analyses: HTA's own tables, for users who come from Holistic Trace Analysis, and to
// check both against each other. Native analyses use nothing from this folder. docs/hta.md says
// where the two differ and why.
#pragma once

#include <span>

#include "stage/analysis.h"

namespace rankscope::hta {

std::span<const Analysis* const> HtaAnalyses();

}  // namespace rankscope::hta
