// Makes a JobGraph from the partials of all captures. For job_graph.cc and the files of its phases:
// nodes are added capture by capture (add_nodes.cc), the last steps that fit are kept
// (keep_last_steps.cc), nodes of the same time are stored together (order_by_steps.cc), ranks are
// joined at rendezvous (join_ranks.cc), and recorded times become durations and gaps
// (job_graph_builder.cc).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "base/spilled_vector.h"
#include "replay/job_graph/job_graph.h"

namespace rankscope {

// For one thread and one graph. 8 bytes per node in addition to the graph.
class JobGraph::Builder {
 public:
  Builder(const JobContext& job, const AcrossFacts& across, const JobGraphLimits& limits);

  Result<std::shared_ptr<const JobGraph>> Build(PartialStream& partials);

 private:
  using StepKey = std::pair<std::int64_t, std::int64_t>;  // group, number

  // The window of a step on a rank, on the job's clock.
  struct RankWindow {
    std::uint32_t step = 0;
    std::uint32_t rank = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  struct RankStep {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool complete = false;
    bool follows_host = false;
    bool has_window = false;
  };

  std::size_t NextSelected(std::size_t capture) const;

  // add_nodes.cc
  Status Add(std::size_t capture, const std::vector<Table>& tables);
  std::vector<std::uint32_t> AddKinds(ViewOf<NodeKindPartial> table);
  // Of the nodes from `first` on.
  Status AddSites(const std::vector<Table>& tables, const Capture& capture, NodeId first);
  // The steps by number in the order of the table, and each rank's ends.
  std::vector<std::uint32_t> AddSteps(ViewOf<NodeStepPartial> table, const Capture& capture,
                                      std::uint32_t rank);
  Status AddNodes(const std::vector<Table>& tables, std::size_t capture, std::uint32_t rank,
                  const std::vector<std::uint32_t>& kinds, const std::vector<std::uint32_t>& steps);
  void ReserveFor(std::size_t nodes, std::size_t edges);
  std::uint32_t NumberOfPlace(std::uint64_t place);

  // keep_last_steps.cc Drops the first steps so far until the rest fits; `first` is the first node
  // added since the last call. Counts only grow, so the order of captures does not matter.
  void KeepLastSteps(NodeId first);
  // Drops nodes from `first` on that are not kept. Their successors begin at their recorded time.
  void LeaveOut(NodeId first);
  // Nodes outside of all steps are dropped first.
  StepKey KeyOf(std::uint32_t draft) const {
    if (draft == kNoStep) return {INT64_MIN, INT64_MIN};
    return {draft_steps_[draft].group, draft_steps_[draft].number};
  }
  bool IsKept(const StepKey& key) const { return !last_left_out_ || key > *last_left_out_; }

  // order_by_steps.cc
  void OrderBySteps();
  // By draft step: its part of the job. All 0 if there is one part.
  std::vector<std::uint32_t> PartsOfSteps() const;

  // join_ranks.cc
  void Join();
  NodeId NodeOf(const CollectiveEvent& event) const;
  void Meet(const std::vector<NodeId>& nodes, std::uint32_t collective);
  // Stages exchange with neighbouring stages (in a ring, if chunks are interleaved). The maximum
  // distance of the ends of one exchange on the two clocks; nullopt: they are not neighbours.
  std::optional<std::int64_t> ToleranceBetween(std::uint32_t a, std::uint32_t b) const;
  // Sends and receives in one kernel (batch_isend_irecv) state no peer. Both sides of such an
  // exchange end together. So kernels on ranks of one pipeline that ran at the same time are
  // matched if their ends are closest to each other.
  void JoinCoalesced();
  // Clocks linked only by sends have a remaining uncertainty. The ends of exchanges in both
  // directions, which both sides see at the same time, determine the offset exactly.
  void RefineClocks(const std::vector<std::pair<NodeId, NodeId>>& exchanges);
  std::uint32_t ComponentOf(std::uint32_t rank) const;
  std::int64_t ShiftOf(std::uint32_t rank) const;

  // Steps in the order of (group, number).
  void NumberSteps();
  // Before this call a node's duration is from its begin to its end.
  void SetGaps();

  // In the job's clock, from its origin.
  std::int64_t Relative(std::uint32_t rank, std::int64_t t) const {
    return SaturatingSubtract(across_.Aligned(rank, t), graph_.origin_ns_);
  }
  std::int64_t EndOf(NodeId node) const { return begin_[node] + graph_.nodes_.DurationOf(node); }

  const JobContext& job_;
  const AcrossFacts& across_;
  const JobGraphLimits limits_;
  std::map<StepKey, std::size_t> nodes_of_step_;  // of all that came
  std::optional<StepKey> last_left_out_;
  JobGraph graph_;
  std::map<std::int64_t, std::uint32_t> dense_;
  std::map<std::tuple<Work, KernelClass, Phase, std::string, std::string, std::string, std::string,
                      double, Again, std::string>,
           std::uint32_t>
      kinds_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> site_numbers_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> place_numbers_;
  std::uint32_t last_place_ = 0;
  std::map<StepKey, std::uint32_t> step_numbers_;
  std::vector<Step> draft_steps_;
  std::vector<RankStep> rank_steps_;  // of the capture at hand
  std::vector<RankWindow> windows_;
  std::map<std::uint32_t, std::int64_t> shift_;  // by component of clocks
  SpilledVector<std::int64_t> begin_;            // by node
  boost::unordered_flat_map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, NodeId>
      communication_;
};

}  // namespace rankscope
