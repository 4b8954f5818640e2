#include "replay/stragglers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/median.h"
#include "replay/peers/peers.h"
#include "replay/peers/typical.h"
#include "replay/scenario/scenario.h"
#include "replay/scenario/step_times.h"
#include "schemas/straggler.h"

namespace rankscope {
namespace {

constexpr std::size_t kPhaseCount = 4;

std::string_view ComputeType(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "forward-compute";
    case Phase::kBackward:
      return "backward-compute";
    case Phase::kOptimizer:
      return "optimizer";
    case Phase::kAfter:
      return "other-compute";
  }
  return "";
}

std::int64_t MeanOf(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return std::llround(sum / static_cast<double>(values.size()));
}

class Stragglers {
 public:
  Stragglers(const Replayed& replayed, const AcrossFacts& across)
      : graph_(replayed.graph()),
        across_(across),
        ranks_(across.collectives().ranks().size()),
        peers_(replayed.peers()),
        places_(replayed.places()),
        counted_(CountedSteps(graph_)),
        is_counted_(AreCounted(graph_)),
        recorded_(replayed.recorded()),
        now_(replayed.now()),
        ideal_(recorded_) {
    for (const JobGraph::Block& block : graph_.blocks())
      rank_of_.insert(rank_of_.end(), block.nodes.last - block.nodes.first,
                      graph_.captures()[block.capture].rank);
    IdealiseWork();
    BalanceGroups();
    IdealiseTransfers();
  }

  Table Run() {
    const auto& columns = SchemaOf<StragglerSlowdown>();
    auto table = columns.NewTable(std::string(StragglerSlowdown::kName));
    const StepEnds best = StepTimesOf(ideal_);
    const double best_ns = best.Mean();
    if (counted_.empty() || best_ns <= 0) {
      table.Add({columns.scope = "job"});
      return table;
    }
    table.Add({columns.scope = "job", columns.slowdown = now_.MeanStep() / best_ns});
    for (const std::size_t step : counted_) {
      const auto ideal = static_cast<double>(best.Time(step));
      if (ideal > 0)
        table.Add({columns.scope = "step",
                   columns.key = std::to_string(graph_.steps()[step].number),
                   columns.slowdown = static_cast<double>(now_.StepTime(step)) / ideal});
    }
    const auto add = [&](std::string_view scope, const std::string& key, const auto& is_kept) {
      Scenario scenario = ideal_;
      for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
        if (!is_kept(node)) continue;
        scenario.SetDuration(node, recorded_.DurationOf(node));
        scenario.SetGap(node, recorded_.GapOf(node));
      }
      table.Add({columns.scope = scope, columns.key = key,
                 columns.slowdown = StepTimesOf(scenario).Mean() / best_ns});
    };
    for (const auto& [scope, dimension] :
         {std::pair("dp_rank", Dimension::kData), std::pair("stage", Dimension::kPipeline)}) {
      for (const std::int32_t at : PlacesIn(dimension))
        add(scope, std::to_string(at), [&, in = dimension](NodeId node) {
          return across_.layout().places[rank_of_[node]].Of(in) == at;
        });
    }
    std::set<std::string_view> types;
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) types.insert(TypeOf(node));
    for (const std::string_view type : types)
      add("optype", std::string(type), [&](NodeId node) { return TypeOf(node) == type; });
    return table;
  }

 private:
  bool Counts(NodeId node) const {
    const std::uint32_t step = graph_.StepOf(node);
    return step != kNoStep && is_counted_[step];
  }

  // The op of the collective that the node is of; sends and receives are one.
  CollectiveOp OpOf(NodeId node) const {
    const std::uint32_t rendezvous = graph_.nodes().RendezvousOf(node);
    if (rendezvous == kNoRendezvous) return OpOfKernel(graph_.KindOf(node).name);
    const std::uint32_t collective = graph_.meetings()[rendezvous].collective;
    return collective == UINT32_MAX ? CollectiveOp::kSendReceive
                                    : across_.collectives().collectives()[collective].op;
  }

  std::string_view TypeOf(NodeId node) const {
    const NodeKind& kind = graph_.KindOf(node);
    switch (kind.work) {
      case Work::kCompute:
        return ComputeType(kind.phase);
      case Work::kCommunication:
        return ToString(OpOf(node));
      case Work::kCopy:
        return "copy";
      default:
        return "host";
    }
  }

  // Coordinates of the ranks along a dimension; none where it has one.
  std::vector<std::int32_t> PlacesIn(Dimension dimension) const {
    std::set<std::int32_t> places;
    for (const RankPlace& place : across_.layout().places) {
      if (place.Of(dimension) >= 0) places.insert(place.Of(dimension));
    }
    if (places.size() < 2) return {};
    return {places.begin(), places.end()};
  }

  void IdealiseWork() {
    const std::vector<std::size_t> rank_steps = RankStepsOf(graph_, peers_);
    std::vector<NodeId> alike;
    std::vector<std::int64_t> durations, gaps;
    for (std::uint32_t place = 0; place < places_.place_count(); ++place) {
      alike.clear();
      durations.clear();
      gaps.clear();
      for (const NodeId node : places_.NodesOf(place)) {
        if (!Counts(node)) continue;
        alike.push_back(node);
        durations.push_back(graph_.nodes().DurationOf(node));
        gaps.push_back(graph_.nodes().GapOf(node));
      }
      if (alike.empty()) continue;
      const Work work = graph_.KindOf(alike.front()).work;
      const std::size_t of_group = rank_steps[peers_.group_of[rank_of_[alike.front()]]];
      // What hosts hardly ever do they need not do.
      const bool is_rare = !IsDevice(work) && 2 * alike.size() < of_group;
      const std::int64_t usual = is_rare          ? 0
                                 : IsDevice(work) ? MeanOf(durations)
                                                  : MedianOf(durations);
      const std::int64_t gap = is_rare ? 0 : MedianOf(gaps);
      for (const NodeId node : alike) {
        if (work != Work::kCommunication) ideal_.SetDuration(node, usual);
        if (graph_.Waits(node)) ideal_.SetGap(node, gap);
      }
    }
  }

  // Every group of peers computes as long as the mean of its role, in each part of a step.
  void BalanceGroups() {
    const auto group_of = [&](NodeId node) { return peers_.group_of[rank_of_[node]]; };
    const auto for_each = [&](const auto& visit) {
      for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
        if (Counts(node) && graph_.KindOf(node).work == Work::kCompute)
          visit(node, static_cast<std::size_t>(graph_.KindOf(node).phase));
      }
    };
    using Phases = std::array<double, kPhaseCount>;
    std::vector<Phases> of_group(peers_.of.size(), Phases{});
    for_each([&](NodeId node, std::size_t phase) {
      of_group[group_of(node)][phase] += static_cast<double>(ideal_.DurationOf(node)) /
                                         static_cast<double>(peers_.of[group_of(node)].size());
    });
    struct OfRole {
      Phases sum{};
      std::array<std::size_t, kPhaseCount> ranks{};
    };
    std::map<RankRole, OfRole> of_role;
    const auto role_of = [&](std::size_t group) {
      return across_.layout().places[peers_.of[group].front()].role;
    };
    for (std::size_t group = 0; group < of_group.size(); ++group) {
      for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        if (of_group[group][phase] <= 0) continue;
        const std::size_t size = peers_.of[group].size();
        of_role[role_of(group)].sum[phase] += of_group[group][phase] * static_cast<double>(size);
        of_role[role_of(group)].ranks[phase] += size;
      }
    }
    for_each([&](NodeId node, std::size_t phase) {
      const OfRole& role = of_role[role_of(group_of(node))];
      const double own = of_group[group_of(node)][phase];
      if (own <= 0) return;
      const double mean = role.sum[phase] / static_cast<double>(role.ranks[phase]);
      ideal_.SetDuration(node,
                         std::llround(static_cast<double>(ideal_.DurationOf(node)) * mean / own));
    });
  }

  // Bytes of what a member transfers; -1: not known.
  std::int64_t BytesOf(const JobGraph::Meeting& meeting) const {
    if (meeting.collective == UINT32_MAX) return -1;
    const JobCollectives& all = across_.collectives();
    return all.BytesOf(all.collectives()[meeting.collective]).value_or(-1);
  }

  void IdealiseTransfers() {
    // op, bytes, members, and the kernel's kind where no rendezvous tells these
    using Key = std::tuple<CollectiveOp, std::int64_t, std::uint32_t, std::uint32_t>;
    std::map<Key, std::vector<NodeId>> alike;
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
      if (!Counts(node) || graph_.KindOf(node).work != Work::kCommunication) continue;
      const std::uint32_t rendezvous = graph_.nodes().RendezvousOf(node);
      if (rendezvous == kNoRendezvous) {
        alike[{OpOf(node), -1, 1, graph_.nodes().KindOf(node)}].push_back(node);
      } else {
        const JobGraph::Meeting& meeting = graph_.meetings()[rendezvous];
        alike[{OpOf(node), BytesOf(meeting), meeting.count, 0}].push_back(node);
      }
    }
    for (const auto& [key, nodes] : alike) {
      std::vector<std::int64_t> transfers;
      transfers.reserve(nodes.size());
      for (const NodeId node : nodes) transfers.push_back(graph_.nodes().DurationOf(node));
      const std::int64_t usual = MedianOf(transfers);
      for (const NodeId node : nodes) ideal_.SetDuration(node, usual);
    }
  }

  const JobGraph& graph_;
  const AcrossFacts& across_;
  const std::size_t ranks_;
  const Peers& peers_;
  const Places& places_;
  const std::vector<std::size_t>& counted_;
  std::vector<bool> is_counted_;
  std::vector<std::uint32_t> rank_of_;  // by node
  const Scenario& recorded_;
  const Replay& now_;
  Scenario ideal_;
};

}  // namespace

Table StragglersOf(const Replayed& replayed, const AcrossFacts& across) {
  return Stragglers(replayed, across).Run();
}

}  // namespace rankscope
