#include "catalog/findings.h"

#include <algorithm>

#include "catalog/pages.h"
#include "catalog/subsystems.h"

namespace rankscope::catalog {

std::span<const FindingEntry> AllFindings() {
  static const std::vector<FindingEntry> kFindings = [] {
    std::vector<FindingEntry> findings;
    for (const Subsystem* subsystem : AllSubsystems()) {
      findings.insert(findings.end(), subsystem->findings.begin(), subsystem->findings.end());
    }
    return findings;
  }();
  return kFindings;
}

const FindingEntry* FindFinding(std::string_view id) {
  const auto found = std::ranges::find(AllFindings(), id, &FindingEntry::id);
  return found == AllFindings().end() ? nullptr : &*found;
}

std::vector<std::string> FindingNames() {
  std::vector<std::string> names;
  for (const FindingEntry& finding : AllFindings()) names.emplace_back(finding.id);
  return names;
}

std::vector<std::string> FindingNames(Subject subject) {
  std::vector<std::string> names;
  for (const FindingEntry& finding : AllFindings()) {
    if (finding.subject == subject) names.emplace_back(finding.id);
  }
  return names;
}

Result<std::string_view> PageOf(std::string_view id) {
  for (const std::span<const Page> pages : {FindingPages(), VerdictPages()}) {
    if (const std::string_view page = PageOf(id, pages); !page.empty()) return page;
  }
  return Error(StatusCode::kInvalidArgument, "{}", NoSuchFinding(id, PageNames()));
}

std::vector<std::string> PageNames() {
  std::vector<std::string> names = FindingNames();
  for (const Page& verdict : VerdictPages()) names.emplace_back(verdict.id);
  return names;
}

}  // namespace rankscope::catalog
