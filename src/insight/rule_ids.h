// The causes of slowness that rankscope knows, by the ids that findings carry: one list for the
// rules, the reports, the command line and the pages of docs/findings. An id never changes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What a cause is seen in. Causes that traces cannot show are not evaluated without the rest.
enum class EvidenceSource {
  kTraces,
  kTelemetry,  // clocks, power, counters and the scheduler of hosts and devices over time
  kServing,    // requests, queues and batches of an inference server
};
std::string_view ToString(EvidenceSource source);  // "traces", "telemetry", "serving data"

struct RuleId {
  std::string_view id;
  EvidenceSource source;
  std::string_view summary;  // one line
};

// In the order in which a reader looks for them; each id once.
std::span<const RuleId> RuleIds();
// Null for what is none.
const RuleId* FindRule(std::string_view id);
std::vector<std::string> RuleNames();
// "there is no finding 'slow-gup'; did you mean slow-gpu?; rankscope explain lists all": for a
// usage error.
std::string NoSuchFinding(std::string_view typed);

}  // namespace rankscope
