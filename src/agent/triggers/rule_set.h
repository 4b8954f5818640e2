// The rules of the settings: triggers.rules as written, triggers.events by their names.
#pragma once

#include <string>
#include <vector>

#include "agent/triggers/rule.h"

namespace rankscope::agent {

// The rules of events come last, in their order. A problem names the setting, the text and the
// column, or the nearest event.
struct RuleSet {
  std::vector<Rule> rules;
  std::vector<Status> problems;  // one for each that is none
};
RuleSet ReadRules(const std::vector<std::string>& rules, const std::vector<std::string>& events);

// The same, or the first problem.
Result<std::vector<Rule>> ParseRules(const std::vector<std::string>& rules,
                                     const std::vector<std::string>& events);

}  // namespace rankscope::agent
