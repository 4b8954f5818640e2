// The findings of all subsystems, with a page for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "contract/finding_entry.h"

namespace rankscope::catalog {

// One subsystem after the other, with unique ids. They live as long as the program.
std::span<const FindingEntry> AllFindings();
// Null if no finding has that id.
const FindingEntry* FindFinding(std::string_view id);
std::vector<std::string> FindingNames();
// Names of the findings that are searched in such recordings.
std::vector<std::string> FindingNames(Subject subject);

// The page of a finding or of a verdict on recordings (the table recording), in Markdown: how it
// shows, why it matters, what to change. kInvalidArgument for any other id.
Result<std::string_view> PageOf(std::string_view id);
// All ids with pages: findings, then verdicts.
std::vector<std::string> PageNames();

}  // namespace rankscope::catalog
