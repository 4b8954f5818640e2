#include "probe/source/reading.h"

#include <array>
#include <chrono>

namespace rankscope::probe {

std::int64_t MonotonicNow() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string_view ToString(ReadFault fault) {
  constexpr std::array<std::string_view, kReadFaults> kNames = {
      "none",          "missing", "gone",  "busy",    "refused", "unreadable",
      "not available", "status",  "stuck", "crashed", "corrupt"};
  return kNames[static_cast<std::size_t>(fault)];
}

}  // namespace rankscope::probe
