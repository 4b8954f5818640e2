// The graph of hta.critical_path_*: begins and ends of events, and what each of them waited for.
//
// Nodes are numbers: 2 e is the start of the window's event e and 2 e + 1 its end. Behind those
// come joins, which stand for "all of these have happened" where edges from each would be too many;
// they have no time, and their edges weigh nothing. An edge keeps its place in the order of
// insertion, which decides between paths of one length (longest_path.h).
//
// Cost: 24 bytes per edge, 1 byte per event of the window.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hta/critical_path/window.h"

namespace rankscope::hta {

using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNoEvent = 0xFFFFFFFF;

enum class EdgeType : std::uint8_t {
  kOperator,           // time in an op, a call or device work
  kDependency,         // order on the host
  kLaunchDelay,        // from the launch to the work
  kKernelKernelDelay,  // from the work before on the stream
  kSync,               // a wait for device work
};
std::string_view ToString(EdgeType type);  // as HTA writes them, "critical_path_operator"

struct Edge {
  std::int64_t weight = 0;  // microseconds; negative where a child ends after its parent
  NodeId from = 0;
  NodeId to = 0;
  std::uint32_t event = kNoEvent;  // of the window, whose time it is
  EdgeType type = EdgeType::kOperator;
};
static_assert(sizeof(Edge) == 24);

class Graph {
 public:
  explicit Graph(Window window);

  static NodeId StartOf(std::uint32_t event) { return 2 * event; }
  static NodeId EndOf(std::uint32_t event) { return 2 * event + 1; }
  static bool IsStart(NodeId node) { return node % 2 == 0; }
  static std::uint32_t EventOf(NodeId node) { return node / 2; }

  const Window& window() const { return window_; }
  const Event& At(std::uint32_t event) const { return window_.events[event]; }
  std::span<const Edge> edges() const { return edges_; }
  std::size_t node_count() const { return 2 * window_.events.size() + joins_; }
  bool IsJoin(NodeId node) const { return node >= 2 * window_.events.size(); }
  // Microseconds of the file; the node is not a join.
  std::int64_t TimeOf(NodeId node) const;
  // Ops, calls of the CUDA runtime and driver, and device events with a correlation have nodes.
  bool HasNodes(std::uint32_t event) const { return has_nodes_[event] != 0; }

  NodeId AddJoin();
  // An edge that weighs nothing.
  void AddOrder(NodeId from, NodeId to, EdgeType type, std::uint32_t event = kNoEvent);
  // An edge that weighs the time between its nodes.
  void AddTime(NodeId from, NodeId to, EdgeType type, std::uint32_t event = kNoEvent);

 private:
  Window window_;
  std::vector<std::uint8_t> has_nodes_;  // by event
  std::vector<Edge> edges_;
  std::uint32_t joins_ = 0;
};

}  // namespace rankscope::hta
