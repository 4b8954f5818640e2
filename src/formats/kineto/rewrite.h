// Copies a trace event by event, with changes: everything that is not changed stays as it is in the
// file, byte by byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::kineto {

struct TraceEdit {
  // Whether the event with this index in traceEvents is kept. Empty: all are.
  std::function<bool(std::uint32_t event, std::string_view text)> keeps;
  // Members to put in front of the event's args, as JSON text ("\"critical\":1"); "" = none.
  std::function<std::string_view(std::uint32_t event)> args;
  // Writes whole events, separated by commas, behind the others. May be empty.
  std::function<Status(const std::function<Status(std::string_view)>& write)> append;
};

// Reads the trace at `from` twice and writes `to`, gzip when its name ends in ".gz". Events that
// are not JSON are left out, members that stand behind traceEvents come before it. Bounded memory;
// nothing appears at `to` when something fails.
Status RewriteTrace(const std::string& from, const std::string& to, const TraceEdit& edit);

// The text of an event's own member, without the quotes of a string; empty when it has none.
std::string_view MemberOf(std::string_view event, std::string_view key);

}  // namespace rankscope::kineto
