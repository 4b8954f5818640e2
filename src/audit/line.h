// A line of the audit log: an entry as JSON, with its own hash and that of the previous line. A
// line that was changed, removed or inserted breaks the chain.
#pragma once

#include <string>
#include <string_view>

#include "api/audit.h"
#include "base/status.h"

namespace rankscope::audit {

// The last line, to which the next one is chained.
struct Head {
  std::int64_t number = 0;
  std::string hash;  // 64 digits; "" before the first
};

// Assigns the entry the number and hashes that follow `head`, updates `head`, and returns the line
// without a line break. Long texts are cut, so that a line has at most a few kilobytes.
std::string LineBehind(Head& head, api::AuditEntry entry);

// kBadData for an invalid line, or one whose hash does not match.
Result<api::AuditEntry> ReadLine(std::string_view line);

}  // namespace rankscope::audit
