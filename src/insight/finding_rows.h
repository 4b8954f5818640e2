// A finding as a row of the table `findings`.
#pragma once

#include "insight/choice/found.h"
#include "schemas/findings.h"

namespace rankscope {

void AddFinding(const RuleInput& input, const Found& found, TableOf<Findings>& table);

}  // namespace rankscope
