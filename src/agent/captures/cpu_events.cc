#include "agent/captures/cpu_events.h"

#include "cpu_profile/trace_events.h"

namespace rankscope::agent {

bool AddCpuEvents(std::string& head, std::string_view tail, std::int64_t pid,
                  const std::vector<cpu_profile::Profile>& profiles) {
  constexpr std::string_view kEvents = "\"traceEvents\"";
  constexpr std::string_view kSpaces = " \t\r\n";
  std::size_t at = head.find(kEvents);
  if (at == std::string::npos) return false;
  at = head.find_first_not_of(": \t\r\n", at + kEvents.size());
  if (at == std::string::npos || head[at] != '[') return false;
  const std::size_t behind = head.find_first_not_of(kSpaces, at + 1);
  if (behind == std::string::npos) return false;
  const cpu_profile::TraceClock clock = cpu_profile::ClockOfTrace(head, tail);
  std::string events;
  for (const cpu_profile::Profile& profile : profiles)
    events += cpu_profile::TraceEvents(profile, pid, clock);
  if (events.empty()) return false;
  // Each ends in a comma, and the last one stands before nothing.
  if (head[behind] == ']') events.erase(events.find_last_of(','), 1);
  head.insert(at + 1, "\n" + events);
  return true;
}

}  // namespace rankscope::agent
