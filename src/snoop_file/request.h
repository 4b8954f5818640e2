// Requests to the helper of snoop on a host (rankscope-agent snoop-service): one line of JSON on
// its socket. The answer is the document of the window (window.h), or {"error": "..."}, followed by
// the end of the connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/type.h"

namespace rankscope::snoop_file {

inline constexpr std::string_view kServiceSocket = "/run/rankscope-snoop/socket";
inline constexpr std::int64_t kMostWindowMs = 600'000;
inline constexpr std::size_t kMostRequestBytes = 4096;

// A narrow request: which process, which kind, how long, with which budgets. Fields out of bounds
// (request.cc) are refused.
struct WindowRequest {
  std::string what = "snoop";  // or "offcpu"
  std::int64_t pid = 0;
  std::int64_t milliseconds = 10'000;
  bool memory = true, launches = true, stacks = true;  // for snoop; stacks for both
  std::int64_t max_events_per_second = 20'000;
  std::int64_t max_overhead_percent = 5;
};

// {"error": "..."}
struct WindowRefusal {
  std::string error;
};

}  // namespace rankscope::snoop_file

namespace rankscope::json {

template <>
const Fields<snoop_file::WindowRequest>& FieldsOf();
template <>
const Fields<snoop_file::WindowRefusal>& FieldsOf();

}  // namespace rankscope::json
