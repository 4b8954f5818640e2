// Captures of CUDA and HIP graphs, between StreamBeginCapture and StreamEndCapture. A launch
// between them adds a node to the graph and no work to the device. Each later launch of the graph
// runs the nodes; if they were captured on one stream, in this order on a device stream.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct GraphCapture {
  Row begin = kNoRow;  // the calls
  Row end = kNoRow;
  // Launches of kernels, copies and memsets without device work, in time order.
  std::vector<Row> nodes;
};

// Sorted by begin. A launch belongs to the open capture of its own thread, else to the last begun
// open capture (autograd's thread captures for the thread that waits for it). A capture without a
// recorded end is left out. Reads names, kinds and links; linear except for a sort of the calls of
// a trace with captures.
std::vector<GraphCapture> FindGraphCaptures(const RankTrace& trace);

}  // namespace rankscope
