// NodeColumns: the nodes of a job and their edges, in columns as narrow as their values allow.
//
// 18 bytes per node (24 with many kinds and collectives) and 8 per edge: 1,000 ranks have millions
// of both. The edges of a node follow those of the previous node.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>

#include "base/spilled_vector.h"
#include "graph/graph.h"
#include "replay/columns/narrow_column.h"
#include "replay/columns/short_times.h"

namespace rankscope {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;
inline constexpr std::uint32_t kNoRendezvous = UINT32_MAX;
inline constexpr std::uint32_t kNoStep = UINT32_MAX;

struct Node {
  std::int64_t duration_ns = 0;  // for a member the transfer, without waiting
  std::int64_t gap_ns = 0;       // negative if rows overlap by rounding
  NodeId previous = kNoNode;
  std::uint32_t first_edge = 0;
  std::uint32_t kind = 0;
  std::uint32_t rendezvous = kNoRendezvous;
};

struct NodeEdge {
  NodeId from = kNoNode;
  std::int32_t lag_ns = 0;
  DependencyKind kind = DependencyKind::kOrder;
};

// Edges in 8 bytes: a lag of up to 0.26 s is stored with the kind, a longer one separately.
class EdgeColumns {
 public:
  std::size_t size() const { return from_.size(); }
  NodeEdge operator[](std::size_t edge) const {
    const std::int32_t held = lag_and_kind_[edge];
    const auto kind = static_cast<DependencyKind>(held & kKindMask);
    const std::int32_t lag = held >> kKindBits;
    return {from_[edge], lag == kBeside ? long_lags_.find(edge)->second : lag, kind};
  }

  void Set(std::size_t edge, const NodeEdge& of) {
    from_[edge] = of.from;
    const bool is_long = of.lag_ns <= kBeside || of.lag_ns > -(kBeside + 1);
    if (is_long) long_lags_[edge] = of.lag_ns;
    const std::int32_t lag = is_long ? kBeside : of.lag_ns;
    lag_and_kind_[edge] = lag * (1 << kKindBits) + static_cast<std::int32_t>(of.kind);
  }
  void Resize(std::size_t edges) {
    from_.resize(edges, kNoNode);
    lag_and_kind_.resize(edges, 0);
  }
  void Reserve(std::size_t edges) {
    from_.reserve(edges);
    lag_and_kind_.reserve(edges);
  }

 private:
  static constexpr int kKindBits = 3;
  static constexpr std::int32_t kKindMask = (1 << kKindBits) - 1;
  static constexpr std::int32_t kBeside = INT32_MIN >> kKindBits;

  SpilledVector<NodeId> from_;
  SpilledVector<std::int32_t> lag_and_kind_;
  boost::unordered_flat_map<std::size_t, std::int32_t> long_lags_;
};

// The edges [first, last), as a range of NodeEdge.
class EdgesView {
 public:
  class Iterator {
   public:
    using value_type = NodeEdge;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const EdgeColumns& of, std::size_t at) : of_(&of), at_(at) {}
    NodeEdge operator*() const { return (*of_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const EdgeColumns* of_ = nullptr;
    std::size_t at_ = 0;
  };

  EdgesView(const EdgeColumns& of, std::size_t first, std::size_t last)
      : of_(&of), first_(first), last_(last) {}

  std::size_t size() const { return last_ - first_; }
  bool empty() const { return last_ == first_; }
  NodeEdge operator[](std::size_t i) const { return (*of_)[first_ + i]; }
  Iterator begin() const { return {*of_, first_}; }
  Iterator end() const { return {*of_, last_}; }

 private:
  const EdgeColumns* of_;
  std::size_t first_, last_;
};

class NodeColumns {
 public:
  std::size_t size() const { return first_edge_.size(); }
  bool empty() const { return first_edge_.empty(); }
  // Always inlined, so reading one member reads only one column.
  [[gnu::always_inline]] Node operator[](NodeId node) const {
    return {DurationOf(node),  GapOf(node),  PreviousOf(node),
            FirstEdgeOf(node), KindOf(node), RendezvousOf(node)};
  }
  std::int64_t DurationOf(NodeId node) const { return duration_[node]; }
  std::int64_t GapOf(NodeId node) const { return gap_[node]; }
  NodeId PreviousOf(NodeId node) const {
    const std::uint32_t back = back_to_previous_[node];
    if (back == kFar) return far_previous_.find(node)->second;
    return back == 0 ? kNoNode : node - back;
  }
  std::uint32_t FirstEdgeOf(NodeId node) const { return first_edge_[node]; }
  std::uint32_t KindOf(NodeId node) const { return kind_[node]; }
  std::uint32_t RendezvousOf(NodeId node) const { return meeting_[node] - 1; }
  EdgesView EdgesOf(NodeId node) const {
    return {edges_, first_edge_[node], node + 1 < size() ? first_edge_[node + 1] : edges_.size()};
  }
  const EdgeColumns& edges() const { return edges_; }

  EdgeColumns& edges() { return edges_; }
  void PushBack(const Node& node);  // of a few; for many, Resize and Set
  void SetDuration(NodeId node, std::int64_t ns) { duration_.Set(node, ns); }
  void SetGap(NodeId node, std::int64_t ns) { gap_.Set(node, ns); }
  void SetRendezvous(NodeId node, std::uint32_t rendezvous) { meeting_.Set(node, rendezvous + 1); }
  void Set(NodeId node, const Node& of);
  void Resize(std::size_t nodes);
  void Reserve(std::size_t nodes);

 private:
  static constexpr std::uint32_t kFar = UINT16_MAX;

  ShortTimes duration_, gap_;
  NarrowColumn back_to_previous_;  // nodes; 0: none; kFar: stored separately
  boost::unordered_flat_map<NodeId, NodeId> far_previous_;
  SpilledVector<std::uint32_t> first_edge_;
  NarrowColumn kind_;
  NarrowColumn meeting_;  // 0: none, else one more than its rendezvous
  EdgeColumns edges_;
};

}  // namespace rankscope
