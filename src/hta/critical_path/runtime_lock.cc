#include "hta/critical_path/runtime_lock.h"

#include <algorithm>
#include <optional>

namespace rankscope::hta {
namespace {

constexpr std::string_view kLockingCalls[] = {"cudaHostAlloc", "cudaLaunchKernel",
                                              "cudaMemcpyAsync"};

}  // namespace

RuntimeLock::RuntimeLock(const Graph& graph) {
  const Window& window = graph.window();
  const RankTrace& trace = *window.frame->trace;
  const NameSet calls(trace.strings, kLockingCalls);
  takes_.resize(window.events.size());
  for (std::uint32_t event = 0; event < takes_.size(); ++event)
    takes_[event] = graph.HasNodes(event) && calls.Contains(trace.name[window.events[event].row]);
}

void RuntimeLock::AddEdges(Graph& graph) const {
  struct Point {
    std::int64_t time = 0;
    NodeId node = 0;
  };
  std::vector<Point> points;
  for (std::uint32_t event = 0; event < takes_.size(); ++event) {
    if (!Takes(event)) continue;
    for (const NodeId node : {Graph::StartOf(event), Graph::EndOf(event)})
      points.push_back({graph.TimeOf(node), node});
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.time != b.time ? a.time < b.time : a.node < b.node;
  });

  std::vector<NodeId> open;
  std::optional<NodeId> last;
  for (const auto& [time, node] : points) {
    if (Graph::IsStart(node)) {
      open.push_back(node);
    } else {
      const std::uint32_t event = Graph::EventOf(node);
      for (; !open.empty(); open.pop_back()) {
        if (Graph::EventOf(open.back()) == event)
          graph.AddTime(open.back(), node, EdgeType::kOperator, event);
        else
          graph.AddOrder(open.back(), node, EdgeType::kDependency);
      }
      if (last && !Graph::IsStart(*last)) graph.AddOrder(*last, node, EdgeType::kDependency);
    }
    last = node;
  }
}

}  // namespace rankscope::hta
