// The rules that settings ask for: triggers.rules as they stand, triggers.events by their names.
#pragma once

#include <string>
#include <vector>

#include "agent/triggers/rule.h"

namespace rankscope::agent {

// Those of the events come last, in their order. kInvalidArgument names the setting, the text and
// the column, or the nearest event.
Result<std::vector<Rule>> ParseRules(const std::vector<std::string>& rules,
                                     const std::vector<std::string>& events);

}  // namespace rankscope::agent
