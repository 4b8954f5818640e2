// Records as the kernel writes them into the ring of a perf event.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rankscope::cpu_profile {

// Sampled with PERF_SAMPLE_TID, TIME and CALLCHAIN, in this order.
struct PerfSample {
  std::uint32_t thread = 0;
  std::uint64_t time = 0;                // by the event's clock
  std::vector<std::uint64_t> addresses;  // of user space, innermost first
};

// Calls `take` for each sample in whole records; returns how many samples the kernel says it lost.
// What is damaged ends the reading. O(bytes).
std::uint64_t ParsePerfRecords(std::span<const std::byte> bytes,
                               const std::function<void(const PerfSample&)>& take);

}  // namespace rankscope::cpu_profile
