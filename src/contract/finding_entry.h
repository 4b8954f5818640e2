// FindingEntry: a cause of slowness, declared by a subsystem. Each subsystem detects its findings
// in its own way: training jobs have rules with a replay (insight/rules/rule.h), others need none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/subject.h"

namespace rankscope {

struct FindingEntry {
  std::string_view id;       // never changes; docs/findings/ID.md is its page
  std::string_view summary;  // the cause, in one line without a full stop
  Subject subject = Subject::kJob;
  std::string_view seen_in;  // what must have been recorded: "traces", "telemetry", "serving data"
  // With its evidence, the most telling first.
  std::vector<std::string> tables = {};
};

// For a usage error: "there is no finding 'slow-gup'; did you mean slow-gpu?; rankscope explain
// lists all". `names` are the valid names.
std::string NoSuchFinding(std::string_view typed, const std::vector<std::string>& names);

}  // namespace rankscope
