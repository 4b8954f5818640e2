// Places: the nodes of all steps, grouped by their work. Nodes of one *place* are the same work of
// the step's program on ranks that are peers (JobGraph::PlaceOf). Nodes of one *work* also have the
// same kind: the same kernel with the same shapes of its op's inputs and of its launch.
//
// These groups are the basis of all medians over peers, steps and equal kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/spilled_vector.h"
#include "replay/job_graph/job_graph.h"
#include "replay/peers/peers.h"

namespace rankscope {

// Immutable. 8 bytes per node and 8 per work; another 32 per place while it is made. O(n), and a
// sort of places with several works.
class Places {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Places(const JobGraph& graph, const Peers& peers);

  // Places and works are numbered from 0, in order of appearance; a place has the works
  // [FirstWork(place), FirstWork(place + 1)).
  std::uint32_t place_count() const { return static_cast<std::uint32_t>(first_work_.size() - 1); }
  std::uint32_t work_count() const { return static_cast<std::uint32_t>(place_of_work_.size()); }
  std::uint32_t FirstWork(std::uint32_t place) const { return first_work_[place]; }

  bool HasSeveralWorks(std::uint32_t place) const {
    return FirstWork(place + 1) - FirstWork(place) > 1;
  }

  // kNone for a node outside of all steps.
  std::uint32_t WorkOf(NodeId node) const { return work_of_[node]; }
  std::uint32_t PlaceOf(NodeId node) const {
    return work_of_[node] == kNone ? kNone : place_of_work_[work_of_[node]];
  }

  // In ascending order, at least one.
  std::span<const NodeId> NodesOfWork(std::uint32_t work) const {
    return std::span(nodes_).subspan(first_node_[work], first_node_[work + 1] - first_node_[work]);
  }
  // Work by work, at least one.
  std::span<const NodeId> NodesOf(std::uint32_t place) const {
    const std::uint32_t first = first_node_[first_work_[place]];
    return std::span(nodes_).subspan(first, first_node_[first_work_[place + 1]] - first);
  }

 private:
  void AddWorks(const JobGraph& graph, std::span<const NodeId> place);

  SpilledVector<NodeId> nodes_;
  SpilledVector<std::uint32_t> work_of_;      // by node
  std::vector<std::uint32_t> place_of_work_;  // by work
  std::vector<std::uint32_t> first_node_;     // of nodes_, by work, and behind the last
  std::vector<std::uint32_t> first_work_;     // by place, and behind the last
};

}  // namespace rankscope
