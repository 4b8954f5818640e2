// The critical path of a part of a rank's trace, as found by HTA.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hta/critical_path/device_edges.h"
#include "hta/critical_path/graph.h"

namespace rankscope::hta {

struct CriticalPath {
  Graph graph;
  std::vector<std::uint32_t> edges;  // of the graph, from the path's start to its end
};

// nullopt where HTA fails: the annotation has no such instance, AddDeviceEdges fails, the graph has
// a cycle, or nothing in it takes time. The frame must outlive the result.
std::optional<CriticalPath> FindCriticalPath(
    const Frame& frame, std::string_view annotation, InstanceRange instances,
    LaunchOrder launch_order = LaunchOrder::kWhereItDelays);

// What bounds the time of each edge.
class Bounds {
 public:
  explicit Bounds(const Graph& graph);

  // HTA's word, such as "cpu_bound"; "" for an edge that only orders.
  std::string_view Of(const Edge& edge);

 private:
  enum class Known : std::uint8_t { kNo, kCommunication, kOther };

  const Graph& graph_;
  std::vector<Known> known_;  // by name
};

}  // namespace rankscope::hta
