// The segments of host threads: their time between launches, waits and handovers.
#pragma once

#include "graph/device_waits.h"
#include "graph/graph_draft.h"
#include "graph/host_threads.h"

namespace rankscope {

// Adds the main thread and the bursts of others, with edges for launches, waits and handovers.
void AddHostSegments(const RankTrace& trace, const HostThreads& threads, const DeviceWaits& waits,
                     GraphDraft& draft);

}  // namespace rankscope
