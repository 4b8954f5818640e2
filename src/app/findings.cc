#include "app/findings.h"

#include "insight/pages.h"
#include "insight/rule_ids.h"

namespace rankscope::app {

std::vector<FindingInfo> AllFindings() {
  std::vector<FindingInfo> findings;
  for (const RuleId& rule : RuleIds())
    findings.push_back({rule.id, ToString(rule.source), rule.summary});
  return findings;
}

Result<std::string_view> PageOfFinding(std::string_view id) {
  if (FindRule(id) == nullptr) return Error(StatusCode::kInvalidArgument, "{}", NoSuchFinding(id));
  return PageOf(id);
}

}  // namespace rankscope::app
