// The graph of hta.critical_path_*: begins and ends of events, and what each of them waited for.
//
// Nodes are numbers: 2 e is the start of the window's event e and 2 e + 1 its end. Higher numbers
// are joins, which mean "all of these have happened" and replace edges from each, which would be
// too many. Joins have no time, and their edges have weight 0. Edges keep their insertion order,
// which decides between paths of equal length (longest_path.h).
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
  kKernelKernelDelay,  // from the previous work on the stream
  kSync,               // a wait for device work
};
std::string_view ToString(EdgeType type);  // in HTA's notation, "critical_path_operator"

struct Edge {
  std::int64_t weight = 0;  // microseconds; negative where a child ends after its parent
  NodeId from = 0;
  NodeId to = 0;
  std::uint32_t event = kNoEvent;  // of the window, to which the time belongs
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
  // In microseconds of the file; the node must not be a join.
  std::int64_t TimeOf(NodeId node) const;
  // Ops, calls of the CUDA runtime and driver, and device events with a correlation have nodes.
  bool HasNodes(std::uint32_t event) const { return has_nodes_[event] != 0; }

  NodeId AddJoin();
  // Adds an edge with weight 0.
  void AddOrder(NodeId from, NodeId to, EdgeType type, std::uint32_t event = kNoEvent);
  // Adds an edge whose weight is the time between its nodes.
  void AddTime(NodeId from, NodeId to, EdgeType type, std::uint32_t event = kNoEvent);

 private:
  Window window_;
  std::vector<std::uint8_t> has_nodes_;  // by event
  std::vector<Edge> edges_;
  std::uint32_t joins_ = 0;
};

}  // namespace rankscope::hta
