// Waits for device work: by host calls, and by work of other streams.
//
// Calls name what they wait for only in traces with CUDA's synchronisation records ("Stream Sync",
// "Event Sync", "Context Sync", "Stream Wait Event"; off by default). Otherwise it follows from the
// meaning of a wait: when it ends, the awaited work is done. With "issued" = launched before the
// call began:
//
//   device synchronize, cudaFree   the last work issued to each stream of a device, when all of
//                                  that had ended before the call did
//   stream synchronize             of the streams whose issued work had all ended by then, the last
//   event synchronize              the issued work that ended last before the call did
//   blocking copy                  the copy itself: a call by name without "Async", or a copy to or
//                                  from pageable memory, that was over before its call
//   launch into a full queue       a launch call of 10 us or more with kFullQueue launches queued
//                                  on its stream, or on all streams of its device: the work that
//                                  ended last there before the call did. What streams ran before
//                                  the first work of a recorded launch was queued from the begin
//   stream wait for an event       work whose launch follows a wait call: of the other streams
//                                  whose issued work had all ended when it began, the last
//   inside a CUDA graph            work of another stream of the same launch, when it ended last of
//                                  all before the work at hand began
//
// Waits that end before they begin are ignored. O(rows log rows).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

// Launches that a queue holds before the next launch call blocks (CUDA's queue holds 1,024
// entries, of which other calls take some; streams may share one).
inline constexpr std::int64_t kFullQueue = 1000;

// A host call waits: [begin_ns, until_ns), never empty.
struct HostWait {
  std::uint32_t track = 0;
  std::int64_t begin_ns = 0;
  std::int64_t until_ns = 0;
  Row source = kNoRow;  // the device work
  DependencyKind kind = DependencyKind::kSync;
  bool inferred = false;
};

// Device work `to` waits for device work `from`.
struct StreamWait {
  Row from = kNoRow;
  Row to = kNoRow;
  bool inferred = false;
};

struct DeviceWaits {
  std::vector<HostWait> host;      // by track, then begin
  std::vector<StreamWait> stream;  // in no particular order
};

DeviceWaits FindDeviceWaits(const RankTrace& trace);

}  // namespace rankscope
