#include "hta/critical_path/graph.h"

#include <algorithm>

namespace rankscope::hta {
namespace {

constexpr std::string_view kHostCategories[] = {"cpu_op", "cuda_runtime", "cuda_driver"};

std::vector<std::uint8_t> NodeFlags(const Window& window) {
  const RankTrace& trace = *window.frame->trace;
  std::vector<std::uint8_t> is_host;  // by category
  for (const StringId id : trace.categories) {
    is_host.push_back(std::find(std::begin(kHostCategories), std::end(kHostCategories),
                                trace.strings.Get(id)) != std::end(kHostCategories));
  }
  std::vector<std::uint8_t> flags;
  flags.reserve(window.events.size());
  for (const Event& event : window.events) {
    const bool is_device = event.on_stream() && event.partner >= 0;
    flags.push_back(is_device || is_host[trace.category[event.row]] != 0);
  }
  return flags;
}

}  // namespace

std::string_view ToString(EdgeType type) {
  switch (type) {
    case EdgeType::kOperator:
      return "critical_path_operator";
    case EdgeType::kDependency:
      return "critical_path_dependency";
    case EdgeType::kLaunchDelay:
      return "critical_path_kernel_launch_delay";
    case EdgeType::kKernelKernelDelay:
      return "critical_path_kernel_kernel_delay";
    case EdgeType::kSync:
      break;
  }
  return "critical_path_sync_dependency";
}

Graph::Graph(Window window) : window_(std::move(window)), has_nodes_(NodeFlags(window_)) {}

std::int64_t Graph::TimeOf(NodeId node) const {
  const Event& event = At(EventOf(node));
  return IsStart(node) ? event.ts : event.end();
}

NodeId Graph::AddJoin() { return static_cast<NodeId>(2 * window_.events.size()) + joins_++; }

void Graph::AddOrder(NodeId from, NodeId to, EdgeType type, std::uint32_t event) {
  edges_.push_back({0, from, to, event, type});
}

void Graph::AddTime(NodeId from, NodeId to, EdgeType type, std::uint32_t event) {
  edges_.push_back({TimeOf(to) - TimeOf(from), from, to, event, type});
}

}  // namespace rankscope::hta
