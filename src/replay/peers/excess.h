// The time of a node beyond the usual time at its place, and its cause.
//
// The usual time is the median over the steps of the rank's peers, including itself, as in
// typical.h, except that a step without work at the place counts as 0. So work that peers do not
// have is entirely excess. With two peers, and for transfers of two groups, it is the lower
// quartile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/job_graph/job_graph.h"
#include "replay/peers/peers.h"
#include "replay/peers/places.h"
#include "replay/peers/typical.h"
#include "replay/scenario/binding.h"

namespace rankscope {

enum class LateCause : std::uint8_t {
  kSlowerKernels,  // kernels of the same inputs and launch shapes take longer
  kMoreWork,       // kernels of other shapes, or that peers do not have
  kKernels,        // one of these two: neither was recorded
  kCopy,           // copies and memsets
  kHost,           // ops, calls and the time between them
  kPause,          // a stretch inside no op, far longer than usual
  kGarbage,        // the garbage collector, where frames show it
  kInput,          // data loading
  kSync,           // blocking calls, without their waits
  kAllocator,      // calls that manage memory
  kCompile,
  kCheckpoint,
  kTransfer,     // of a collective or send, after all have arrived
  kUsualWork,    // no excess: it has more work than the others
  kUnexplained,  // no recorded cause
};
inline constexpr int kLateCauseCount = 15;
std::string_view ToString(LateCause cause);  // "slower kernels", ...

class Excess {
 public:
  // O(n); 16 bytes per place, 8 per work, a bit per node. All three must outlive it.
  Excess(const JobGraph& graph, const Peers& peers, const Places& places);

  // Calls visit(cause, ns) for the parts of the node's duration beyond the usual; negative if it is
  // shorter. If the usual time is unknown, all of it is unexplained.
  template <typename Visit>
  void OfDuration(NodeId node, const Visit& visit) const {
    const std::int64_t usual = UsualOf(node);
    const std::int64_t own = graph_->nodes().DurationOf(node);
    if (usual == Typical::kUnknown) {
      visit(LateCause::kUnexplained, own);
    } else if (!ComparesByShapes(node)) {
      visit(CauseOf(node, own - usual), own - usual);
    } else if (!has_shapes_) {
      visit(LateCause::kKernels, own - usual);
    } else {
      const std::int64_t alike = SameWork(node);
      const bool is_kernel = graph_->KindOf(node).work == Work::kCompute;
      visit(is_kernel ? LateCause::kSlowerKernels : LateCause::kHost, own - alike);
      visit(LateCause::kMoreWork, alike - usual);
    }
  }
  // The same for the gap before the node, after `binding`.
  template <typename Visit>
  void OfGap(NodeId node, const Binding& binding, const Visit& visit) const {
    if (binding.node == kNoNode) return;
    const bool is_of_host =
        UsualOf(node) != Typical::kUnknown &&
        (!IsDevice(graph_->KindOf(node).work) || binding.kind == DependencyKind::kLaunch);
    visit(is_of_host ? LateCause::kHost : LateCause::kUnexplained,
          graph_->nodes().GapOf(node) - UsualGapOf(node));
  }

  // At most half of its peers have work at its place in the same step.
  bool IsUnusual(NodeId node) const { return is_unusual_[node]; }

  static constexpr std::int64_t kLeastPauseNs = 1'000'000;
  static constexpr std::int64_t kPauseOfUsual = 3;

 private:
  std::int64_t UsualOf(NodeId node) const {
    const std::uint32_t place = places_->PlaceOf(node);
    return place == Places::kNone ? Typical::kUnknown : usual_ns_[place];
  }
  std::int64_t UsualGapOf(NodeId node) const {
    const std::uint32_t place = places_->PlaceOf(node);
    return place == Places::kNone ? 0 : usual_gap_ns_[place];
  }
  // The time of kernels with the same shapes; the node's own time if there are none to compare
  // with.
  std::int64_t SameWork(NodeId node) const {
    const std::uint32_t work = places_->WorkOf(node);
    const std::int64_t alike = work == Places::kNone ? Typical::kUnknown : same_work_ns_[work];
    return alike == Typical::kUnknown ? graph_->nodes().DurationOf(node) : alike;
  }
  // True for kernels, and for ops on the host with different inputs: whether a short op is a
  // separate node depends on its duration.
  bool ComparesByShapes(NodeId node) const {
    const NodeKind& kind = graph_->KindOf(node);
    return kind.work == Work::kCompute ||
           (kind.Computes() && places_->HasSeveralWorks(places_->PlaceOf(node)));
  }
  LateCause CauseOf(NodeId node, std::int64_t excess) const;
  void SetUsual(const Peers& peers);
  // `in_step`: by step, zeros before and after.
  void MarkUnusual(std::uint32_t place, std::size_t peers, std::vector<std::size_t>& in_step);
  void SetUsualOf(std::uint32_t place, const std::vector<bool>& counted, std::size_t steps,
                  bool are_two);
  void SetSameWork(std::uint32_t place, const std::vector<bool>& counted, bool are_two);

  const JobGraph* graph_;
  const Places* places_;
  bool has_shapes_ = false;  // of inputs or launches, which identify equal work
  std::vector<std::int64_t> usual_ns_, usual_gap_ns_;  // by place
  std::vector<std::int64_t> same_work_ns_;             // by work; empty without shapes
  std::vector<bool> is_unusual_;                       // by node
};

}  // namespace rankscope
