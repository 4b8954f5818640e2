// The findings of a training job, as the list of subsystems has them: one for each rule.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "contract/finding_entry.h"

namespace rankscope {

// What traces alone show comes first, then what needs telemetry; within these as AllRules()
// has them (insight/rules/rule.h).
std::span<const FindingEntry> JobFindings();
std::vector<std::string> JobFindingNames();

}  // namespace rankscope
