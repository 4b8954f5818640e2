#include "insight/rules/rule.h"

#include <utility>

namespace rankscope {
namespace {

std::string_view AdviceOf(const Rule& rule, const RuleInput& input) {
  for (const Advice& advice : rule.advice) {
    if (advice.fits(input.Shared<Setting>())) return advice.text;
  }
  return rule.recommendation;
}

// `rankscope table NAME TRACES`, or `rankscope top kernels TRACES`; "" of another command.
std::string TableOfCommand(std::string_view command) {
  for (const auto& [start, table] : {std::pair{"rankscope table ", ""},
                                     {"rankscope top kernels ", "kernels_by_name"},
                                     {"rankscope top ops ", "ops_by_name"}}) {
    if (!command.starts_with(start)) continue;
    command.remove_prefix(std::string_view(start).size());
    return *table == '\0' ? std::string(command.substr(0, command.find(' '))) : table;
  }
  return "";
}

}  // namespace

std::vector<std::string> EvidenceTables(const Rule& rule, std::string_view command) {
  if (!rule.shown_in.empty()) return {rule.shown_in.begin(), rule.shown_in.end()};
  return {TableOfCommand(command)};
}

std::optional<Cause> CauseOf(const Rule& rule, const RuleInput& input) {
  std::optional<Cause> cause = rule.find(input);
  if (!cause) return cause;
  cause->id = rule.id;
  cause->tier = rule.tier;
  cause->takes = rule.takes;
  if (cause->why.empty()) cause->why = rule.why;
  if (cause->recommendation.empty()) cause->recommendation = AdviceOf(rule, input);
  if (cause->command.empty()) cause->command = rule.command;
  cause->tables = EvidenceTables(rule, cause->command);
  return cause;
}

}  // namespace rankscope
