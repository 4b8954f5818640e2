// Captures of CUDA graphs, HIP's too: what was recorded into a graph between StreamBeginCapture and
// StreamEndCapture. A launch between them puts a node into the graph and nothing on the device;
// each launch of the graph later runs the nodes, in this order on a device stream where they were
// captured on one.
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

// By begin. A launch belongs to the capture that its own thread has open, else (autograd's thread
// captures for the one that waits for it) to the last begun of those that are open. A capture whose
// end is not recorded is left out. Reads names, kinds and links; linear but for a sort of the calls
// of a trace that has captures.
std::vector<GraphCapture> FindGraphCaptures(const RankTrace& trace);

}  // namespace rankscope
