// Copies a trace event by event, with changes. Everything else stays byte for byte as it is in the
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::kineto {

struct TraceEdit {
  // Whether to keep the event with this index in traceEvents. Empty: keeps all.
  std::function<bool(std::uint32_t event, std::string_view text)> keeps;
  // Members to put in front of the event's args, as JSON text ("\"critical\":1"); "" = none. Called
  // for kept events; an event whose args are not an object stays unchanged.
  std::function<std::string_view(std::uint32_t event, std::string_view text)> args;
  // Appends whole events, separated by commas, after the others. May be empty.
  std::function<Status(const std::function<Status(std::string_view)>& write)> append;
};

// Reads the trace at `from` twice and writes `to`, gzip when its name ends in ".gz". Events that
// are not JSON are left out; members after traceEvents move before it. Bounded memory. If anything
// fails, no file appears at `to`.
Status RewriteTrace(const std::string& from, const std::string& to, const TraceEdit& edit);

// The JSON text of an event's own member, a string with its quotes; empty if the event does not
// have it, or if it is an object or list.
std::string_view MemberOf(std::string_view event, std::string_view key);

}  // namespace rankscope::kineto
