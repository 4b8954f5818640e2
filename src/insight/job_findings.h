// The findings of a training job for the list of subsystems: one for each rule.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "contract/finding_entry.h"

namespace rankscope {

// Findings from traces alone come first, then those that need telemetry; each in the order of
// AllRules() (insight/rules/rule.h).
std::span<const FindingEntry> JobFindings();
std::vector<std::string> JobFindingNames();

}  // namespace rankscope
