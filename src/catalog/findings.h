// The findings of all subsystems, and the page of each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "contract/finding_entry.h"

namespace rankscope::catalog {

// One subsystem after the other, each id once. They live as long as the program.
std::span<const FindingEntry> AllFindings();
// Null when there is none of that id.
const FindingEntry* FindFinding(std::string_view id);
std::vector<std::string> FindingNames();
// Of those that are looked for in such recordings.
std::vector<std::string> FindingNames(Subject subject);

// How it shows, why it matters, what to change, in Markdown, of a finding or a verdict on
// recordings (the table recording). kInvalidArgument for neither.
Result<std::string_view> PageOf(std::string_view id);
// Of what there are pages: findings, then verdicts.
std::vector<std::string> PageNames();

}  // namespace rankscope::catalog
