// Counters of the kernel and of the processors, by perf_event_open, over all of the host.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Opens a counter of a core and returns its descriptor, or the negative of errno. The source reads
// (8 bytes each) and closes descriptors.
struct PerfEvent {
  std::uint32_t type = 0;    // PERF_TYPE_...
  std::uint64_t config = 0;  // PERF_COUNT_...
};
using PerfOpen = std::function<int(const PerfEvent& event, int cpu)>;
int OpenPerfEvent(const PerfEvent& event, int cpu);

// rankscope_perf_events_total{event="cpu_migrations"}, summed over cores: cpu_clock (in
// nanoseconds), context_switches, cpu_migrations, page_faults; and, if the processor counts them,
// cycles and instructions (instructions per cycle is the ratio of their rates). Missing events are
// left out; without any it is kNotFound with the reason. `cores`: their number; one descriptor for
// each event and core stays open.
Source PerfSource(PerfOpen open, int cores);

}  // namespace rankscope::agent
