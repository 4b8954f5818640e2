// A line of the audit log: an entry as JSON, with the hash of the line before and its own, so that
// a line that was changed, taken out or put in breaks the chain.
#pragma once

#include <string>
#include <string_view>

#include "api/audit.h"
#include "base/status.h"

namespace rankscope::audit {

// The last line, by which the next one is chained.
struct Head {
  std::int64_t number = 0;
  std::string hash;  // 64 digits; "" before the first
};

// Gives the entry its number and hashes behind `head`, which becomes its own, and returns its line
// without a line break. Long texts are cut, so that a line has a few kilobytes at most.
std::string LineBehind(Head& head, api::AuditEntry entry);

// kBadData for what is no line, or whose hash is not its own.
Result<api::AuditEntry> ReadLine(std::string_view line);

}  // namespace rankscope::audit
