#include "insight/job_findings.h"

#include <algorithm>

#include "insight/all_rules.h"

namespace rankscope {
namespace {

constexpr std::string_view kTraces = "traces";
constexpr std::string_view kTelemetry = "telemetry";
constexpr std::string_view kWindows = "windows of snoop";

std::string_view SeenIn(RuleNeeds needs) {
  switch (needs) {
    case RuleNeeds::kNothing:
    case RuleNeeds::kDevice:
    case RuleNeeds::kSeveralRanks:
    case RuleNeeds::kSeveralGroups:
    case RuleNeeds::kShapes:
    case RuleNeeds::kAllocations:
      return kTraces;
    case RuleNeeds::kClocks:
    case RuleNeeds::kCoreWaits:
    case RuleNeeds::kUnitsActive:
      return kTelemetry;
    case RuleNeeds::kWindows:
      return kWindows;
  }
  return "";
}

}  // namespace

std::span<const FindingEntry> JobFindings() {
  static const std::vector<FindingEntry> kFindings = [] {
    std::vector<FindingEntry> findings;
    for (const Rule* rule : AllRules()) {
      findings.push_back({.id = rule->id,
                          .summary = rule->summary,
                          .subject = Subject::kJob,
                          .seen_in = SeenIn(rule->needs),
                          .tables = EvidenceTables(*rule, rule->command)});
    }
    std::stable_partition(findings.begin(), findings.end(),
                          [](const FindingEntry& finding) { return finding.seen_in == kTraces; });
    return findings;
  }();
  return kFindings;
}

std::vector<std::string> JobFindingNames() {
  std::vector<std::string> names;
  for (const FindingEntry& finding : JobFindings()) names.emplace_back(finding.id);
  return names;
}

}  // namespace rankscope
