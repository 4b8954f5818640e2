#include "insight/evidence/kernels/device_streams.h"

#include "base/spilled_vector.h"

namespace rankscope {

DeviceStreams::DeviceStreams(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  SpilledVector<std::uint32_t> stream_of(graph.nodes().size(), UINT32_MAX);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!IsDevice(graph.KindOf(node).work)) continue;
    const NodeId previous = graph.nodes()[node].previous;
    if (previous == kNoNode || stream_of[previous] == UINT32_MAX) {
      stream_of[node] = static_cast<std::uint32_t>(nodes.size());
      nodes.emplace_back();
    } else {
      stream_of[node] = stream_of[previous];
    }
    nodes[stream_of[node]].push_back(node);
  }
}

}  // namespace rankscope
