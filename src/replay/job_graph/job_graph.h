// JobGraph: the dependency graphs of all ranks as one graph on one clock, joined at collectives and
// sends.
//
// A node begins a fixed gap after its last predecessor has ended, and lasts its duration. Members
// of a rendezvous (a collective; a send and its receive) also begin this way, but their transfers
// begin when the last member has begun, and each member ends its own duration after that. So a
// replay with the recorded durations reproduces the recording, and a replay with other durations
// shows their effect.
//
//   ready(n) = max(end(previous), end(from) + lag of every edge)      0 without any
//   begin(n) = ready(n) + gap(n)
//   end(n)   = begin(n) + duration(n), or max(begin of all members) + duration(n)
//
// Gaps are recorded times that no dependency explains; they stay unchanged. The method follows dPRO
// (Hu et al., MLSys 2022) and Lumos (Liang et al., MLSys 2025).
//
// Memory: 8 bytes per edge; per node 18 (node_columns.h) and 14 for its place, step, event, order
// and slot, if there are fewer than 65,536 kinds, places and slots; 4 more with recorded Python
// frames. In a large job they are in files (base/spilled_vector.h). O(nodes + edges) to make.
// Immutable; any number of threads may replay it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/spilled_vector.h"
#include "base/status.h"
#include "facts/kernel_class.h"
#include "graph/graph.h"
#include "job/across_facts.h"
#include "replay/columns/narrow_column.h"
#include "replay/columns/node_columns.h"
#include "replay/job_graph/node_ranges.h"
#include "replay/recording/node_partial.h"
#include "stage/analysis.h"

namespace rankscope {

// The kinds of nodes, common to all ranks.
struct NodeKind {
  Work work = Work::kOp;
  KernelClass kernel_class = KernelClass::kOther;  // of device work
  Phase phase = Phase::kForward;                   // of device work
  std::string name, op, shapes, dtype;
  std::string outer_op;  // the op called by the program around a copy or an op that reads a value
  std::string cost_family;   // name of the CostFamily of the op's model; empty: none
  std::string launch_shape;  // of a kernel: its blocks and threads; empty: not known
  // For a kernel: whether equal kinds are equal work.
  bool TellsWork() const { return !shapes.empty() || !launch_shape.empty(); }
  // A kernel; on a rank without devices, an op with known inputs.
  bool Computes() const { return work == Work::kCompute || (work == Work::kOp && !shapes.empty()); }
  double flops = -1;  // of one node; below 0: not known
  double bytes = -1;
  Again again = Again::kNo;  // of device work and of its host part
};

// An exchange with other ranks by host threads (gloo), without a device.
inline bool IsExchangeOfHosts(const NodeKind& kind) {
  return kind.work == Work::kCommunication && kind.name.starts_with("gloo:");
}

// The place in the user's code where work is done or launched.
struct CodeSite {
  std::string module;    // classes of the modules around it, "Net/Block"; empty: in none
  std::string function;  // "train.py(214): step"; empty: not known
};

class JobGraph {
 public:
  // The nodes of a recording, numbered in the order of their begins. In a large job the nodes of
  // some steps of all recordings are stored together (order_by_steps.cc), so a recording has
  // several ranges.
  struct CaptureNodes {
    std::size_t capture = 0;        // of JobContext::captures
    std::uint32_t rank = 0;         // dense number (AcrossFacts)
    std::vector<NodeRange> ranges;  // ascending

    NodesIn nodes() const { return NodesIn(ranges); }
  };
  // One of these ranges.
  struct Block {
    NodeRange nodes;
    std::uint32_t capture = 0;  // of captures()
  };
  struct Step {
    std::int64_t group = 0;   // of captures
    std::int64_t number = 0;  // of ProfilerStep
    bool complete = false;    // on every rank that has it
    // StepPhase of the engine's mark; only steps of one phase are comparable.
    std::int64_t phase = 0;
    static constexpr std::int64_t kPhasesDiffer = -1;  // between ranks
    // Its begin if no earlier step was recorded: the latest begin on any rank.
    std::int64_t recorded_begin_ns = 0;
    std::int64_t recorded_end_ns = 0;
    bool follows_recorded = false;  // the step before it is steps()[i - 1]
  };
  struct Meeting {
    std::uint32_t first = 0;  // its members are [first, first + count) of members()
    std::uint32_t count = 0;
    std::uint32_t collective = UINT32_MAX;  // of JobCollectives; UINT32_MAX: a send and its receive
  };

  class Builder;

  const NodeColumns& nodes() const { return nodes_; }
  EdgesView EdgesOf(NodeId node) const { return nodes_.EdgesOf(node); }
  // The gap of a node without predecessors is its begin.
  bool Waits(NodeId node) const {
    return nodes_.PreviousOf(node) != kNoNode || !EdgesOf(node).empty();
  }
  std::size_t edge_count() const { return nodes_.edges().size(); }
  NodeEdge edge(std::size_t index) const { return nodes_.edges()[index]; }
  const NodeKind& KindOf(NodeId node) const { return kinds_[nodes_.KindOf(node)]; }
  std::span<const NodeKind> kinds() const { return kinds_; }
  const std::vector<Step>& steps() const { return steps_; }
  // See CountedSteps (scenario.h).
  const std::vector<std::size_t>& counted_steps() const { return counted_steps_; }
  // Index into steps(), or kNoStep.
  std::uint32_t StepOf(NodeId node) const { return step_[node] - 1; }
  std::uint64_t PlaceOf(NodeId node) const { return places_[place_[node]]; }
  std::int64_t EventOf(NodeId node) const {  // in its file; -1: none
    return event_[node] == kNoEvent ? -1 : std::int64_t{event_[node]};
  }
  // Whether Python frames were recorded on any rank.
  bool HasFrames() const { return has_frames_; }
  const std::vector<CodeSite>& sites() const { return sites_; }
  // The place in the user's code, from frames or samples; null if unknown.
  const CodeSite* SiteOf(NodeId node) const {
    return site_.empty() || site_[node] == kNoSite ? nullptr : &sites_[site_[node]];
  }
  // Whether it is one of the nodes whose latest end is the end of its step on its rank.
  bool EndsStep(NodeId node) const { return (flags_[node] & kEndsStep) != 0; }
  // A member that waits for no other: a send that ended before the receive began.
  bool IsEager(NodeId node) const { return (flags_[node] & kEager) != 0; }
  const std::vector<CaptureNodes>& captures() const { return captures_; }
  // All nodes in their order.
  const std::vector<Block>& blocks() const { return blocks_; }
  std::uint32_t RankOf(NodeId node) const;  // dense number; O(log blocks)
  const CaptureNodes& CaptureOf(NodeId node) const;
  const std::vector<Meeting>& meetings() const { return meetings_; }
  std::span<const NodeId> MembersOf(const Meeting& meeting) const {
    return std::span(members_).subspan(meeting.first, meeting.count);
  }
  // Nodes come after their predecessors; the members of a rendezvous are adjacent.
  std::span<const NodeId> order() const { return order_; }
  // The slot, below slot_count(), in which a pass in that order keeps the node's end until its last
  // successor has begun: some per rank. Nodes without successors share one slot.
  std::uint32_t SlotOf(NodeId node) const { return slot_[node]; }
  std::uint32_t slot_count() const { return slot_count_; }
  // Members that could not meet as recorded, since they would wait for each other in a cycle.
  std::int64_t dissolved() const { return dissolved_; }
  // The maximum number of nodes: a larger job keeps the last steps that fit, independent of the
  // order of its partials.
  static constexpr std::size_t kMostNodes = 20'000'000;
  std::size_t steps_left_out() const { return steps_left_out_; }
  // Not even the last step fits, so the graph has no nodes.
  bool is_too_large() const { return nodes_.empty() && steps_left_out_ > 0; }
  // Whether the clock offsets between all ranks are known.
  bool is_aligned() const { return is_aligned_; }
  std::int64_t origin_ns() const { return origin_ns_; }

 private:
  static constexpr std::uint8_t kEndsStep = 1;
  static constexpr std::uint8_t kEager = 2;
  static constexpr std::uint32_t kNoSite = UINT32_MAX;
  static constexpr std::uint32_t kNoEvent = UINT32_MAX;
  static constexpr std::uint32_t kSharedSlot = 0;

  void CountSteps(const StepFilter& chosen);
  // Sorts nodes by recorded begin.
  void Order(std::span<const std::int64_t> begin);
  void AssignSlots();

  NodeColumns nodes_;
  NarrowColumn step_;   // 0: none, else one more than its number
  NarrowColumn place_;  // of places_
  std::vector<std::uint64_t> places_;
  SpilledVector<std::uint32_t> event_;
  SpilledVector<std::uint32_t> site_;  // empty when there are none
  std::vector<CodeSite> sites_;
  bool has_frames_ = false;
  SpilledVector<std::uint8_t> flags_;
  std::vector<NodeKind> kinds_;
  std::vector<Step> steps_;
  std::vector<std::size_t> counted_steps_;
  std::vector<CaptureNodes> captures_;
  std::vector<Block> blocks_;
  std::vector<Meeting> meetings_;
  SpilledVector<NodeId> members_;
  SpilledVector<NodeId> order_;
  NarrowColumn slot_;  // by node
  std::uint32_t slot_count_ = 0;
  std::int64_t dissolved_ = 0;
  std::int64_t origin_ns_ = 0;
  bool is_aligned_ = true;
  std::size_t steps_left_out_ = 0;
};

// For tests that make small graphs like large ones.
struct JobGraphLimits {
  std::size_t most_nodes = JobGraph::kMostNodes;
  // The number of nodes of steps stored together, except the last group.
  std::size_t nodes_together = std::size_t{1} << 18;
};

// Partials of NodesMapper, of all selected captures, in any order.
Result<std::shared_ptr<const JobGraph>> BuildJobGraph(PartialStream& partials,
                                                      const JobContext& job,
                                                      const AcrossFacts& across,
                                                      const JobGraphLimits& limits = {});

}  // namespace rankscope
