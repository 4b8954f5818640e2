// The one list of rules (rules/rule.h), and what is asked of all of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "insight/rules/rule.h"

namespace rankscope {

// All rules: the one list of them. Of causes that gain alike the one found first is told first.
std::span<const Rule* const> AllRules();
// Null for an id that no rule of traces has.
const Rule* RuleOf(std::string_view id);
// Every table that a rule reads, each once: the inputs of who asks rules.
std::vector<const Analysis*> TablesOfRules();

}  // namespace rankscope
