#include "formats/flight/dump.h"

namespace rankscope::flight {

std::string_view ToString(CallState state) {
  switch (state) {
    case CallState::kScheduled:
      return "scheduled";
    case CallState::kStarted:
      return "started";
    case CallState::kCompleted:
      return "completed";
    case CallState::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace rankscope::flight
