#include "agent/triggers/rule_set.h"

#include <algorithm>
#include <array>

#include "base/nearest_name.h"

namespace rankscope::agent {
namespace {

struct Event {
  std::string_view name;
  std::string_view rule;
};
constexpr std::array<Event, 3> kEvents = {{
    {"oom_kill", "increase(oom_kills_total) > 0"},
    {"xid", "increase(device_xid_errors_total) > 0"},
    {"slow_steps", "relative(job_value{name=\"step_time_s\"}) > 1.3 for 60s"},
}};

Status NoEvent(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(kEvents.size());
  for (const Event& one : kEvents) names.emplace_back(one.name);
  const std::string_view nearest = NearestName(name, names);
  return Error(StatusCode::kInvalidArgument,
               "triggers.events: there is no '{}'{}; there are oom_kill, xid and slow_steps", name,
               nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest));
}

}  // namespace

RuleSet ReadRules(const std::vector<std::string>& rules, const std::vector<std::string>& events) {
  RuleSet set;
  for (const std::string& text : rules) {
    Result<Rule> rule = ParseRule(text);
    if (rule.ok()) {
      set.rules.push_back(*std::move(rule));
    } else {
      set.problems.push_back(Error(StatusCode::kInvalidArgument, "triggers.rules: '{}': {}", text,
                                   rule.status().message()));
    }
  }
  for (const std::string& name : events) {
    const auto event = std::ranges::find(kEvents, name, &Event::name);
    if (event == kEvents.end()) {
      set.problems.push_back(NoEvent(name));
    } else if (Result<Rule> rule = ParseRule(event->rule); rule.ok()) {
      set.rules.push_back(*std::move(rule));
    } else {
      set.problems.push_back(rule.status());
    }
  }
  return set;
}

Result<std::vector<Rule>> ParseRules(const std::vector<std::string>& rules,
                                     const std::vector<std::string>& events) {
  RuleSet set = ReadRules(rules, events);
  if (!set.problems.empty()) return set.problems.front();
  return std::move(set.rules);
}

}  // namespace rankscope::agent
