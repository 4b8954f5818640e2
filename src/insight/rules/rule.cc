#include "insight/rules/rule.h"

namespace rankscope {
namespace {

std::string_view AdviceOf(const Rule& rule, const RuleInput& input) {
  for (const Advice& advice : rule.advice) {
    if (advice.fits(input.Shared<Setting>())) return advice.text;
  }
  return rule.recommendation;
}

}  // namespace

std::optional<Cause> CauseOf(const Rule& rule, const RuleInput& input) {
  std::optional<Cause> cause = rule.find(input);
  if (!cause) return cause;
  cause->id = rule.id;
  cause->tier = rule.tier;
  cause->takes = rule.takes;
  if (cause->why.empty()) cause->why = rule.why;
  if (cause->recommendation.empty()) cause->recommendation = AdviceOf(rule, input);
  if (cause->command.empty()) cause->command = rule.command;
  return cause;
}

}  // namespace rankscope
