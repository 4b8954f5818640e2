// What a node takes beyond what is usual at its place, and for which reason.
//
// Usual is the median over the steps of the rank's peers, itself among them, as in typical.h, but
// that a step in which nothing stands at the place counts as 0: work that peers do not have is
// excess as a whole. Of two peers, and of transfers of two groups, the lower quartile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/binding.h"
#include "replay/job_graph.h"
#include "replay/peers.h"
#include "replay/places.h"
#include "replay/typical.h"

namespace rankscope {

enum class LateCause : std::uint8_t {
  kSlowerKernels,  // kernels of the same inputs and launch shapes take longer
  kMoreWork,       // kernels of other shapes, or that peers do not have
  kKernels,        // one of these two: neither was recorded
  kCopy,           // copies and memsets
  kHost,           // ops, calls and what is between them
  kPause,          // a stretch inside no op, far longer than usual
  kGarbage,        // the garbage collector, where frames show it
  kInput,          // data loading
  kSync,           // blocking calls, but for what they wait for
  kAllocator,      // calls that manage memory
  kCompile,
  kCheckpoint,
  kTransfer,     // of a collective or send, once all have come
  kUsualWork,    // no excess: it has more to do than the others
  kUnexplained,  // nothing that was recorded
};
inline constexpr int kLateCauseCount = 15;
std::string_view ToString(LateCause cause);  // "slower kernels", ...

class Excess {
 public:
  // O(n); 16 bytes per place, 8 per work, a bit per node. All three outlive it.
  Excess(const JobGraph& graph, const Peers& peers, const Places& places);

  // Calls visit(cause, ns) for the parts of what the node's duration is beyond the usual; below 0
  // where it is shorter. Where the usual is not known all of it is unexplained.
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
  // The same of the gap before the node, which `binding` ends.
  template <typename Visit>
  void OfGap(NodeId node, const Binding& binding, const Visit& visit) const {
    if (binding.node == kNoNode) return;
    const bool is_of_host =
        UsualOf(node) != Typical::kUnknown &&
        (!IsDevice(graph_->KindOf(node).work) || binding.kind == DependencyKind::kLaunch);
    visit(is_of_host ? LateCause::kHost : LateCause::kUnexplained,
          graph_->nodes().GapOf(node) - UsualGapOf(node));
  }

  // At most half of its peers have something at its place in the same step.
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
  // What kernels of the same shapes take; the node itself where there are none to compare with.
  std::int64_t SameWork(NodeId node) const {
    const std::uint32_t work = places_->WorkOf(node);
    const std::int64_t alike = work == Places::kNone ? Typical::kUnknown : same_work_ns_[work];
    return alike == Typical::kUnknown ? graph_->nodes().DurationOf(node) : alike;
  }
  // Kernels; of ops on the host those whose inputs differ: which short ones are nodes of their own
  // depends on how long they take.
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
  bool has_shapes_ = false;  // of inputs, or of launches: these tell equal work
  std::vector<std::int64_t> usual_ns_, usual_gap_ns_;  // by place
  std::vector<std::int64_t> same_work_ns_;             // by work; empty without shapes
  std::vector<bool> is_unusual_;                       // by node
};

}  // namespace rankscope
