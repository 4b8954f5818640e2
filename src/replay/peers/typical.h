// Usual times of nodes: the median over nodes at the same place of the step's program on other
// ranks or in other steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/job_graph/job_graph.h"
#include "replay/peers/peers.h"
#include "replay/peers/places.h"

namespace rankscope {

enum class Alike : std::uint8_t {
  kPlace,          // the same kernel or call, launched by the same op, the k-th time in the step
  kPlaceAndShape,  // and inputs and launches of the same shapes
};

// Over all counted steps of the rank's peers, including itself. With two peers the lower quartile,
// so one slow peer does not decide; a rank without peers is compared with its own steps. 16 bytes
// per place or work. The graph and its places must outlive it.
class Typical {
 public:
  static constexpr std::int64_t kUnknown = -1;

  // O(n), on up to `threads` threads. `of_places` has known values by place; if everything has one
  // shape, these are reused.
  Typical(const JobGraph& graph, const Peers& peers, const Places& places, Alike alike,
          const Typical* of_places = nullptr, int threads = 1);

  // kUnknown without two nodes to compare, and outside of counted steps.
  std::int64_t DurationOf(NodeId node) const {
    const std::uint32_t row = RowOf(node);
    return row == Places::kNone ? kUnknown : duration_ns_[row];
  }
  // 0 if DurationOf is unknown.
  std::int64_t GapOf(NodeId node) const {
    const std::uint32_t row = RowOf(node);
    return row == Places::kNone ? 0 : gap_ns_[row];
  }

 private:
  std::uint32_t RowOf(NodeId node) const {
    const std::uint32_t step = graph_->StepOf(node);
    if (step == kNoStep || !is_counted_[step]) return Places::kNone;
    return alike_ == Alike::kPlace ? places_->PlaceOf(node) : places_->WorkOf(node);
  }
  // Of the rows [first, last).
  void SetRows(std::uint32_t first, std::uint32_t last, const Peers& peers,
               const Typical* of_places);

  const JobGraph* graph_;
  const Places* places_;
  Alike alike_;
  std::vector<bool> is_counted_;                    // by step
  std::vector<std::int64_t> duration_ns_, gap_ns_;  // by place or work
};

// Calls visit(node, duration_ns, gap_ns) for the nodes of counted steps with what nodes of the same
// rank and shapes take in the other counted steps; not for those without another. O(n log n) on up
// to `threads` threads; visits are the caller's thread's, one after the other.
void ForEachOfOtherSteps(const JobGraph& graph, const Places& places,
                         const std::function<void(NodeId, std::int64_t, std::int64_t)>& visit,
                         int threads = 1);

// Which steps count, by number.
std::vector<bool> AreCounted(const JobGraph& graph);
// By group of peers: in how many counted steps its ranks have work, summed over the ranks.
std::vector<std::size_t> RankStepsOf(const JobGraph& graph, const Peers& peers);

}  // namespace rankscope
