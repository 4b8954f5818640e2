// A rule: recognises one cause, or causes that are told apart by the same look.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "insight/cause.h"
#include "insight/rule_input.h"
#include "stage/analysis.h"

namespace rankscope {

struct Rule {
  std::vector<std::string_view> ids;    // of the causes that it may find
  std::vector<const Analysis*> tables;  // that it reads
  void (*find)(const RuleInput&, std::vector<Cause>&);
  bool needs_graph = true;  // it finds nothing without counted steps in the graph
};

// All rules, in no order that matters.
std::span<const Rule* const> AllRules();

}  // namespace rankscope
