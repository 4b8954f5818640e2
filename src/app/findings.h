// The findings that there are, and what each means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::app {

struct FindingInfo {
  std::string_view id;
  std::string_view seen_in;  // "traces", "telemetry", "serving data"
  std::string_view summary;  // one line
};
// In the order in which a reader looks for them.
std::vector<FindingInfo> AllFindings();

// How it shows, why it matters, what to change, in Markdown. kInvalidArgument for no finding.
Result<std::string_view> PageOfFinding(std::string_view id);

}  // namespace rankscope::app
