// The list of all rules (rules/rule.h), and queries over them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "insight/rules/rule.h"

namespace rankscope {

// All rules. Among causes with equal gains the one found first is reported first.
std::span<const Rule* const> AllRules();
// Null if no rule for traces has the id.
const Rule* RuleOf(std::string_view id);
// All tables read by rules, each once: the inputs for running rules.
std::vector<const Analysis*> TablesOfRules();

}  // namespace rankscope
