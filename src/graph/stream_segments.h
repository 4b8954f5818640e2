// The segments of device streams: work that nothing but its order connects is one.
#pragma once

#include <functional>

#include "graph/build_graph.h"
#include "graph/device_waits.h"
#include "graph/graph_draft.h"

namespace rankscope {

// Adds all device work, with edges for the waits of streams, and says which work is launched.
// is_collective(row) is asked once per kernel.
void AddStreamSegments(const RankTrace& trace, const DeviceWaits& waits,
                       const std::function<bool(Row)>& is_collective, Contraction contraction,
                       GraphDraft& draft);

}  // namespace rankscope
