// What nodes usually take: the median over nodes that stand at the same place of the step's program
// on other ranks or in other steps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "replay/job_graph.h"
#include "replay/peers.h"

namespace rankscope {

enum class Alike : std::uint8_t {
  kPlace,          // the same kernel or call, launched by the same op, the k-th time in the step
  kPlaceAndShape,  // and inputs of the same shapes
};

struct Typical {
  static constexpr std::int64_t kUnknown = -1;
  std::vector<std::int64_t> duration_ns;  // by node; kUnknown without two to compare
  std::vector<std::int64_t> gap_ns;       // 0 where duration_ns is unknown
};

// Over all counted steps of the rank's peers, itself among them. Of two peers the lower quartile,
// so that one that is slow does not decide; a rank without peers is compared with its own steps.
// O(n).
Typical TypicalOfPeers(const JobGraph& graph, const Peers& peers, Alike alike);

// Calls visit(nodes, rank_steps) for the nodes of counted steps at each place of a group of peers;
// the group did the step on so many ranks and steps. O(n).
void ForEachPlaceOfPeers(
    const JobGraph& graph, const Peers& peers, Alike alike,
    const std::function<void(std::span<const NodeId> nodes, std::size_t rank_steps)>& visit);

// For the nodes of each counted step, of the same rank and shapes in the other counted steps. O(n).
Typical TypicalOfOtherSteps(const JobGraph& graph);

}  // namespace rankscope
